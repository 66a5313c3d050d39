/// Candidates that wait to be sent together, by their calls.
struct CandidateBatches {
    private var candidates: [CallID: [CallCandidate]] = [:]

    /// - Returns: Whether it is the first one that waits.
    mutating func add(_ candidate: CallCandidate, of call: CallID) -> Bool {
        let isFirst = candidates.isEmpty
        candidates[call, default: []].append(candidate)
        return isFirst
    }

    /// Takes all candidates, in messages of the size that the server accepts.
    mutating func take() -> [ClientMessage] {
        var messages: [ClientMessage] = []
        for (call, all) in candidates {
            for start in stride(from: 0, to: all.count, by: Candidates.maximumCount) {
                let part = Array(all[start..<min(start + Candidates.maximumCount, all.count)])
                messages.append(.candidates(Candidates(call: call, candidates: part)))
            }
        }
        candidates = [:]
        return messages
    }
}
