public import NATS
public import RTCSignaling

/// The log of a server's nodes on NATS: two buckets of JetStream, one with an entry for each key, in the order of revisions, and one with
/// the newest snapshot.
///
/// The order is that of the bucket, and no entry depends on another one's revision: a write never fails because another node was faster.
public struct NATSExchangeLog: ExchangeLog {
    public struct Configuration: Hashable, Sendable {
        /// The buckets are `<name>-log` and `<name>-state`. Servers with the same name share their clients.
        public var name = "duet"
        /// How many servers of NATS's cluster have each of them: 3 survives the loss of one.
        public var replicas = 1
        /// How long writing an entry may take.
        public var timeout: Duration = .seconds(2)

        public init() {}
    }

    private let entries: any SharedBucket
    private let state: any SharedBucket
    private static let partSize = 256 * 1024
    /// The most parts of a snapshot: 256 MiB.
    private static let mostParts = 1_024

    init(entries: any SharedBucket, state: any SharedBucket) {
        self.entries = entries
        self.state = state
    }

    /// Opens the log, and creates it if there is none. The client has to be connected.
    ///
    /// - Throws: ``NATSError``.
    public static func open(
        _ configuration: Configuration = Configuration(), on client: NATSClient
    ) async throws(NATSError) -> NATSExchangeLog {
        func bucket(_ kind: String) async throws(NATSError) -> KeyValueBucket {
            var wanted = KeyValueConfiguration(name: try KeyValueBucketName("\(configuration.name)-\(kind)"))
            wanted.replicas = configuration.replicas
            return try await KeyValueBucket.create(wanted, on: client, timeout: configuration.timeout)
        }
        return NATSExchangeLog(entries: try await bucket("log"), state: try await bucket("state"))
    }

    // MARK: Entries

    public func append(_ entry: [UInt8], name: String) async throws {
        try await entries.put(KeyValueKey(name), entry)
    }

    public func read(from position: UInt64) async throws -> any ExchangeLogReader {
        // Each key has one entry, so that all that exist come, those before the position too.
        let watch = try await entries.watch(.all, includesExisting: true, heartbeat: .seconds(1))
        return Reader(watch: watch)
    }

    /// - Parameter position: The last one that is removed.
    public func trim(through position: UInt64) async throws {
        try await entries.erase(.all, before: position &+ 1)
    }

    private final class Reader: ExchangeLogReader {
        private let watch: KeyValueWatch

        init(watch: KeyValueWatch) {
            self.watch = watch
        }

        func next() async throws -> ExchangeLogEvent? {
            // The iterator only refers to the watch.
            var iterator = watch.makeAsyncIterator()
            switch try await iterator.next() {
            case .entry(let entry)?: return .entry(entry.value, position: entry.revision)
            case .caughtUp?: return .caughtUp
            case nil: return nil
            }
        }
    }

    // MARK: Snapshots

    /// The key of the newest snapshot's ``Pointer``.
    private static let newest = "newest"

    public func newestSnapshot() async throws -> ExchangeSnapshot? {
        let log = try await entries.status()
        guard let entry = try await state.get(KeyValueKey(Self.newest)), let pointer = Pointer(entry.value),
            pointer.isOf(log)
        else { return nil }
        var bytes: [UInt8] = []
        for number in 0..<pointer.parts {
            guard let part = try await state.get(KeyValueKey("part.\(pointer.name).\(number)")) else {
                throw NATSError(.malformedAnswer, "a part of a snapshot is missing")
            }
            guard part.value.count <= Self.partSize else {
                throw NATSError(.malformedAnswer, "a part of a snapshot is too long")
            }
            bytes += part.value
        }
        return ExchangeSnapshot(bytes: bytes, position: pointer.position)
    }

    public func save(_ snapshot: ExchangeSnapshot) async throws {
        let log = try await entries.status()
        let old = try await state.get(KeyValueKey(Self.newest))
        let oldPointer = old.flatMap { Pointer($0.value) }
        if let oldPointer, oldPointer.isOf(log), oldPointer.position >= snapshot.position { return }
        let parts = (snapshot.bytes.count + Self.partSize - 1) / Self.partSize
        guard parts <= Self.mostParts, let created = log.created else {
            throw NATSError(.payloadTooLarge, "the snapshot is too large")
        }
        let name = "\(snapshot.position)-\(UInt64.random(in: 0 ... .max))"
        let first = try await put(snapshot.bytes, name)
        let pointer = Pointer(created: created, position: snapshot.position, name: name, parts: parts)
        let newest = try KeyValueKey(Self.newest)
        do throws(NATSError) {
            if let old {
                try await state.update(newest, pointer.bytes, revision: old.revision)
            } else {
                try await state.create(newest, pointer.bytes)
            }
        } catch {
            // Another node was faster, or the pointer is perhaps there: then its parts have to stay.
            if !error.isOutcomeUnknown { try? await state.erase(KeyValueFilter("part.\(name).*"), before: nil) }
            throw error
        }
        // With those of the snapshot before go the parts of nodes that were killed meanwhile. Nobody needs them: who has begun to store
        // before this node has found another pointer, and cannot replace this one.
        if let first { try? await state.erase(KeyValueFilter("part.>"), before: first) }
    }

    /// Stores the parts of a snapshot, or none.
    ///
    /// - Returns: The revision of the first; `nil` if the snapshot is empty.
    private func put(_ bytes: [UInt8], _ name: String) async throws(NATSError) -> UInt64? {
        var first: UInt64?
        do throws(NATSError) {
            for (number, start) in stride(from: 0, to: bytes.count, by: Self.partSize).enumerated() {
                let part = Array(bytes[start..<min(start + Self.partSize, bytes.count)])
                let revision = try await state.put(KeyValueKey("part.\(name).\(number)"), part)
                first = first ?? revision
            }
        } catch {
            try? await state.erase(KeyValueFilter("part.\(name).*"), before: nil)
            throw error
        }
        return first
    }
}

/// Which snapshot is the newest one.
struct Pointer: Hashable {
    /// When the log was created that the snapshot is of.
    var created: String
    var position: UInt64
    /// That of its parts.
    var name: String
    var parts: Int

    init(created: String, position: UInt64, name: String, parts: Int) {
        self.created = created
        self.position = position
        self.name = name
        self.parts = parts
    }

    /// - Returns: `nil` if this is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= 1_024, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == "1", let position = UInt64(words[2]), let parts = Int(words[4]),
            position < 1 << 62, 0...1_024 ~= parts
        else { return nil }
        self.init(created: String(words[1]), position: position, name: String(words[3]), parts: parts)
    }

    var bytes: [UInt8] { Array("1 \(created) \(position) \(name) \(parts)".utf8) }

    /// Whether it is of this log, which may have been deleted and created again.
    func isOf(_ log: KeyValueStatus) -> Bool { created == log.created && position <= log.lastRevision }
}
