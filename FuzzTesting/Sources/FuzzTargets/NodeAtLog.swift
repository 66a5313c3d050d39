import RTCWire

@testable import RTCSignaling

/// A node at a log that is in the hands of a test: whatever the log and the snapshot say, it neither traps nor keeps
/// without bound.
struct NodeAtLog {
    private let replica: ExchangeReplica
    private var now: Duration = .seconds(100)
    private var log: [[UInt8]] = []
    private let snapshot: [UInt8]?
    /// The position of the entry that was read last.
    private var place = 0
    /// The entries that it wants to have in the log.
    private(set) var written: [[UInt8]] = []

    private struct Numbers: RandomNumberGenerator {
        let random: SeededRandom

        mutating func next() -> UInt64 { random.next() }
    }

    init(seed: UInt64, _ limits: ExchangeLimits, snapshot: [UInt8]?) {
        self.snapshot = snapshot
        replica = ExchangeReplica(limits: limits, random: Numbers(random: SeededRandom(seed: seed)), at: now)
        carryOut()
    }

    /// The name under which it writes at the moment, which whoever reads the log knows.
    var name: UInt64 { replica.node.rawValue }

    mutating func handle(_ input: ExchangeInput) {
        replica.handle(.client(input), at: now)
        carryOut()
    }

    /// The log has another entry.
    mutating func read(_ entry: [UInt8]) {
        log.append(entry)
        readOn()
    }

    /// What it wrote last is stored, or not.
    mutating func answer(isStored: Bool) {
        guard !written.isEmpty else { return }
        let entry = written.removeFirst()
        if isStored { return read(entry) }
        replica.handle(.appendFailed, at: now)
        carryOut()
    }

    mutating func advance(_ duration: Duration) {
        let end = now + duration
        for _ in 0..<200 {
            guard let deadline = replica.nextDeadline, deadline <= end else { break }
            now = max(now, deadline)
            replica.handle(.client(.timeout), at: now)
            carryOut()
        }
        now = end
    }

    private mutating func readOn() {
        while place < log.count {
            place += 1
            replica.handle(.entry(log[place - 1], position: UInt64(place)), at: now)
            carryOut()
        }
    }

    private mutating func carryOut() {
        var begins = false
        while let effect = replica.nextEffect() {
            switch effect {
            case .load: begins = true
            case .append(let entry, _):
                precondition(entry.count <= LogEntry.maximumSize, "an entry that nobody reads")
                written.append(entry)
            case .save(let bytes, _):
                precondition((try? ReplicatedState(snapshot: bytes)) != nil, "a snapshot that nobody reads")
                replica.handle(.saved, at: now)
            case .output, .trim, .report: break
            }
        }
        precondition(replica.waitingBytes <= replica.options.waitingBytes + LogEntry.maximumSize, "too much waits")
        guard begins else { return }
        place = 0
        replica.handle(.loaded(snapshot), at: now)
        carryOut()
        readOn()
        replica.handle(.caughtUp, at: now)
        carryOut()
    }
}
