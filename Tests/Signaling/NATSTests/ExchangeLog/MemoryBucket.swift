import Synchronization

@testable import NATS
@testable import RTCSignalingNATS

/// A bucket in memory, whose writes a test can follow and let fail.
final class MemoryBucket: SharedBucket {
    /// What becomes of a write.
    enum Fate: Sendable {
        case done
        /// It was not stored, and its writer knows.
        case refused
        /// It was stored, and its writer does not know.
        case unanswered
    }

    private struct State {
        var entries: [String: KeyValueEntry] = [:]
        var lastRevision: UInt64 = 0
    }

    private let state = Mutex(State())
    private let fate: @Sendable (String) async -> Fate

    /// - Parameter fate: Asked before each write, by its key.
    init(fate: @escaping @Sendable (String) async -> Fate = { _ in .done }) {
        self.fate = fate
    }

    var keys: [String] { state.withLock { $0.entries.keys.sorted() } }

    func status() async throws(NATSError) -> KeyValueStatus {
        KeyValueStatus(
            entries: 0, bytes: 0, lastRevision: 1_000_000, replicas: 1, leader: nil, created: "2026-11-28T00:00:00Z")
    }

    func get(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry? { state.withLock { $0.entries[key.text] } }

    func put(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64 {
        try await write(key, value) { _ in true }
    }

    func create(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64 {
        try await write(key, value) { $0 == nil }
    }

    func update(_ key: KeyValueKey, _ value: [UInt8], revision: UInt64) async throws(NATSError) -> UInt64 {
        try await write(key, value) { $0?.revision == revision }
    }

    private func write(
        _ key: KeyValueKey, _ value: [UInt8], if isAllowed: @Sendable (KeyValueEntry?) -> Bool
    ) async throws(NATSError) -> UInt64 {
        let fate = await fate(key.text)
        if fate == .refused { throw NATSError(.noResponders, "the bucket has no leader") }
        let revision = state.withLock { state -> UInt64? in
            guard isAllowed(state.entries[key.text]) else { return nil }
            state.lastRevision += 1
            state.entries[key.text] = KeyValueEntry(key: key, value: value, revision: state.lastRevision)
            return state.lastRevision
        }
        guard let revision else { throw NATSError(.wrongLastSequence, "another write was faster") }
        if fate == .unanswered { throw NATSError(.timeout, "no answer came in time") }
        return revision
    }

    func erase(_ filter: KeyValueFilter, before revision: UInt64?) async throws(NATSError) {
        state.withLock { state in
            state.entries = state.entries.filter { _, entry in
                !filter.matches(entry.key) || revision.map { entry.revision >= $0 } ?? false
            }
        }
    }

    func watch(
        _ filter: KeyValueFilter, includesExisting: Bool, heartbeat: Duration
    ) async throws(NATSError) -> KeyValueWatch {
        throw NATSError(.closed, "this bucket has no watches")
    }
}
