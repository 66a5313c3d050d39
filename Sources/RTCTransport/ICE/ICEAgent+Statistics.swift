import RTCWire

extension ICEAgent {
    /// A snapshot for `getStats()`.
    public func statistics() -> ICEStatistics {
        var statistics = ICEStatistics()
        statistics.localCandidates = localCandidates.map {
            ICECandidateStatistics(id: $0.id, candidate: $0.candidate, socket: $0.socket, server: $0.server)
        }
        statistics.remoteCandidates = remoteCandidates.map {
            ICECandidateStatistics(id: $0.id, candidate: $0.candidate, socket: nil, server: nil)
        }
        statistics.candidatePairs = pairs.map { pair in
            ICECandidatePairStatistics(
                id: pair.id, localCandidateID: pair.mappedCandidate ?? pair.localCandidate,
                remoteCandidateID: pair.remoteCandidate, path: pair.path, state: pair.state,
                nominated: pair.id == current.nominated || pair.id == previous?.nominated, priority: pair.priority,
                requestsSent: Int(pair.requestsSent), requestsReceived: Int(pair.requestsReceived),
                responsesSent: Int(pair.responsesSent), responsesReceived: Int(pair.responsesReceived),
                consentRequestsSent: Int(pair.consentRequestsSent), currentRoundTripTime: pair.roundTripTime,
                totalRoundTripTime: pair.totalRoundTripTime,
                roundTripTimeMeasurements: Int(pair.roundTripTimeMeasurements))
        }
        statistics.selectedCandidatePairID = selectedPair
        statistics.selectedCandidatePairChanges = selectedPairChanges
        statistics.counters = counters
        return statistics
    }
}
