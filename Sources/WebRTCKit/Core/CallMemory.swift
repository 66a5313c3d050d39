internal import RTCPeer
internal import RTCWire

/// The calls that ended last, so that what still comes of them is known for what it is.
struct EndedCalls {
    static let capacity = 16

    private var calls: [(id: CallIdentifier, awaitsSignal: Bool)] = []

    /// - Parameter awaitsSignal: Whether an `endCall` ended it: the signal that it belongs to may come after it.
    mutating func insert(_ id: CallIdentifier, awaitsSignal: Bool = false) {
        guard !contains(id) else { return }
        if calls.count == Self.capacity { calls.removeFirst() }
        calls.append((id, awaitsSignal))
    }

    func contains(_ id: CallIdentifier) -> Bool { calls.contains { $0.id == id } }

    /// Whether the `endCall` of this call's last signal has come already. Asked when the signal comes, once.
    mutating func takeAwaitedSignal(of id: CallIdentifier) -> Bool {
        guard let index = calls.firstIndex(where: { $0.id == id && $0.awaitsSignal }) else { return false }
        calls[index].awaitsSignal = false
        return true
    }
}

/// The `endCall`s that are still to come, each of which belongs to a signal that was taken.
struct Farewells {
    private static let capacity = 16

    private var expected: [(peer: PeerID, until: Instant)] = []

    mutating func expect(from peer: PeerID, at now: Instant) {
        if expected.count == Self.capacity { expected.removeFirst() }
        expected.append((peer, now + CallTimes.farewellLifetime))
    }

    /// Whether an `endCall` that came from `peer` is one of them. It is then no longer expected.
    mutating func take(from peer: PeerID, at now: Instant) -> Bool {
        expected.removeAll { $0.until < now }
        guard let index = expected.firstIndex(where: { $0.peer == peer }) else { return false }
        expected.remove(at: index)
        return true
    }
}

/// Candidates that came before anything else of their call, each call's in order.
struct EarlyCandidates {
    /// The most calls that anything is kept of.
    static let maximumCalls = 8

    private struct Entry {
        let call: CallIdentifier
        let peer: PeerID
        let since: Instant
        var candidates: [ICECandidateInit] = []
    }

    private var entries: [Entry] = []

    /// - Returns: How many candidates had to make way, or found no room.
    mutating func keep(_ candidate: CallCandidate, from peer: PeerID, at now: Instant) -> Int {
        purge(at: now)
        if let index = entries.firstIndex(where: { $0.call == candidate.call && $0.peer == peer }) {
            guard entries[index].candidates.count < Call.maximumCandidates else { return 1 }
            entries[index].candidates.append(candidate.candidate)
            return 0
        }
        let displaced = entries.count == Self.maximumCalls ? entries.removeFirst().candidates.count : 0
        entries.append(Entry(call: candidate.call, peer: peer, since: now, candidates: [candidate.candidate]))
        return displaced
    }

    mutating func take(_ call: CallIdentifier, from peer: PeerID, at now: Instant) -> [ICECandidateInit] {
        purge(at: now)
        let candidates = entries.first { $0.call == call && $0.peer == peer }?.candidates ?? []
        forget(call)
        return candidates
    }

    mutating func forget(_ call: CallIdentifier) { entries.removeAll { $0.call == call } }

    private mutating func purge(at now: Instant) {
        entries.removeAll { $0.since + CallTimes.earlyCandidateLifetime < now }
    }
}
