internal import RTCPeer
internal import RTCWire

/// Candidates that arrived before their call, in order.
struct EarlyCandidates {
    /// The maximum number of calls with early candidates.
    static let maximumCalls = 8

    private struct Entry {
        let call: CallIdentifier
        let peer: PeerID
        let since: Instant
        var candidates: [ICECandidateInit] = []
    }

    private var entries: [Entry] = []

    /// - Returns: How many candidates were dropped.
    mutating func keep(_ candidate: CallCandidate, from peer: PeerID, at now: Instant) -> Int {
        purge(at: now)
        if let index = entries.firstIndex(where: { $0.call == candidate.call && $0.peer == peer }) {
            guard entries[index].candidates.count < CallRecord.maximumCandidates else { return 1 }
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
