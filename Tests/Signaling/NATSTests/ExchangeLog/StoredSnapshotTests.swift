import RTCSignaling
import Synchronization
import Testing

@testable import NATS
@testable import RTCSignalingNATS

@Suite("Snapshots of the exchange in a bucket")
struct StoredSnapshotTests {
    /// A snapshot of three parts.
    private static func snapshot(at position: UInt64) -> ExchangeSnapshot {
        ExchangeSnapshot(
            bytes: (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* Int(position)) }, position: position)
    }

    private static func log(_ state: MemoryBucket) -> NATSExchangeLog {
        NATSExchangeLog(entries: MemoryBucket(), state: state)
    }

    @Test("A snapshot is read as it was stored, and replaces the one before")
    func stored() async throws {
        let bucket = MemoryBucket()
        let log = Self.log(bucket)
        #expect(try await log.newestSnapshot() == nil)
        for position: UInt64 in [10, 20] {
            let snapshot = Self.snapshot(at: position)
            try await log.save(snapshot)
            #expect(try await log.newestSnapshot() == snapshot)
            #expect(bucket.keys.count == 4)
        }
        try await log.save(Self.snapshot(at: 15))
        #expect(try await log.newestSnapshot()?.position == 20)
    }

    @Test("What there is of a snapshot that could not be stored is removed", arguments: [0, 1, 2])
    func failed(part: Int) async throws {
        let bucket = MemoryBucket { $0.hasPrefix("part.20-") && $0.hasSuffix(".\(part)") ? .refused : .done }
        let log = Self.log(bucket)
        try await log.save(Self.snapshot(at: 10))
        await #expect(throws: NATSError.self) { try await log.save(Self.snapshot(at: 20)) }
        #expect(!bucket.keys.contains { $0.hasPrefix("part.20-") })
        #expect(try await log.newestSnapshot() == Self.snapshot(at: 10))
    }

    @Test("What a node has left that was killed while it stored one goes with the next")
    func killed() async throws {
        let bucket = MemoryBucket()
        _ = try await bucket.put(KeyValueKey("part.5-77.0"), [1, 2, 3])
        let log = Self.log(bucket)
        try await log.save(Self.snapshot(at: 10))
        #expect(!bucket.keys.contains("part.5-77.0"))
        #expect(try await log.newestSnapshot() == Self.snapshot(at: 10))
    }

    private final class OtherNode: Sendable {
        let log = Mutex<NATSExchangeLog?>(nil)
    }

    @Test("Of two nodes that store at once, one snapshot is there, and can be read", arguments: [0, 1, 2])
    func atOnce(part: Int) async throws {
        let other = OtherNode()
        let bucket = MemoryBucket { key in
            // In the middle of the first node's writes the second one stores all of its snapshot.
            guard key.hasPrefix("part.20-"), key.hasSuffix(".\(part)") else { return .done }
            try? await other.log.withLock { $0 }?.save(Self.snapshot(at: 30))
            return .done
        }
        let log = Self.log(bucket)
        other.log.withLock { $0 = Self.log(bucket) }
        try await log.save(Self.snapshot(at: 10))
        await #expect(throws: NATSError.self) { try await log.save(Self.snapshot(at: 20)) }
        #expect(try await log.newestSnapshot() == Self.snapshot(at: 30))
        #expect(bucket.keys.count == 4)
    }

    @Test("A part that is larger than any that is written is refused, since a snapshot may have a thousand of them")
    func tooLarge() async throws {
        let bucket = MemoryBucket()
        let log = Self.log(bucket)
        try await log.save(Self.snapshot(at: 10))
        let key = try #require(bucket.keys.first { $0.hasSuffix(".1") })
        _ = try await bucket.put(KeyValueKey(key), [UInt8](repeating: 0, count: 256 * 1_024 + 1))
        await #expect(throws: NATSError.self) { try await log.newestSnapshot() }
    }

    @Test("If it is unknown whether a snapshot is the newest one now, it can be read")
    func unanswered() async throws {
        let bucket = MemoryBucket { $0 == "newest" ? .unanswered : .done }
        let log = Self.log(bucket)
        await #expect(throws: NATSError.self) { try await log.save(Self.snapshot(at: 10)) }
        #expect(try await log.newestSnapshot() == Self.snapshot(at: 10))
    }
}
