import Synchronization

@testable import RTCSignaling

/// A log in memory, which several servers of one process share.
final class SharedLog: ExchangeLog {
    private struct State {
        var entries: [[UInt8]] = []
        var trimmed: UInt64 = 0
        var snapshot: ExchangeSnapshot?
        var isGone = false
        var readers = 0
    }

    struct Gone: Error {}

    private let state = Mutex(State())

    /// Whether nothing can be read or written at the moment.
    var isGone: Bool {
        get { state.withLock { $0.isGone } }
        set { state.withLock { $0.isGone = newValue } }
    }

    /// How many read it at the moment.
    var readers: Int { state.withLock { $0.readers } }

    var count: Int { state.withLock { $0.entries.count } }

    func append(_ entry: [UInt8], name: String) async throws {
        try state.withLock { state in
            guard !state.isGone else { throw Gone() }
            state.entries.append(entry)
        }
    }

    func read(from position: UInt64) async throws -> any ExchangeLogReader {
        guard !isGone else { throw Gone() }
        return Reader(log: self, from: position)
    }

    func newestSnapshot() async throws -> ExchangeSnapshot? {
        try state.withLock { state in
            guard !state.isGone else { throw Gone() }
            return state.snapshot
        }
    }

    func save(_ snapshot: ExchangeSnapshot) async throws {
        try state.withLock { state in
            guard !state.isGone else { throw Gone() }
            if snapshot.position > state.snapshot?.position ?? 0 { state.snapshot = snapshot }
        }
    }

    func trim(through position: UInt64) async throws {
        state.withLock { $0.trimmed = max($0.trimmed, position) }
    }

    fileprivate func entry(from position: UInt64) -> (entry: [UInt8], position: UInt64)? {
        state.withLock { state in
            let first = max(position, state.trimmed + 1)
            guard !state.isGone, first <= UInt64(state.entries.count) else { return nil }
            return (state.entries[Int(first) - 1], first)
        }
    }

    private final class Reader: ExchangeLogReader {
        private let log: SharedLog
        private let place: Mutex<(next: UInt64, hasCaughtUp: Bool)>

        init(log: SharedLog, from position: UInt64) {
            self.log = log
            place = Mutex((position, false))
            log.state.withLock { $0.readers += 1 }
        }

        deinit { log.state.withLock { $0.readers -= 1 } }

        func next() async throws -> ExchangeLogEvent? {
            while !Task.isCancelled {
                let position = place.withLock { $0.next }
                if let found = log.entry(from: position) {
                    place.withLock { $0.next = found.position + 1 }
                    return .entry(found.entry, position: found.position)
                }
                let isFirst = place.withLock { place in
                    defer { place.hasCaughtUp = true }
                    return !place.hasCaughtUp
                }
                if isFirst { return .caughtUp }
                try? await Task.sleep(for: .milliseconds(2))
            }
            return nil
        }
    }
}
