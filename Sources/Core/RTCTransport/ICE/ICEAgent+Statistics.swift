import RTCWire

extension ICEAgent {
    /// A snapshot for `getStats()`.
    package func statistics() -> ICEStatistics {
        var statistics = ICEStatistics()
        statistics.localCandidates = localCandidates.map { local in
            let socket = local.candidate.type == .relayed ? sockets.first { $0.id == local.socket } : nil
            let relay = socket?.properties.relay
            return ICECandidateStatistics(
                id: local.id, candidate: local.candidate, socket: local.socket, server: local.server,
                serverID: relay?.serverID, relayProtocol: relay?.transport)
        }
        statistics.remoteCandidates = remoteCandidates.map {
            ICECandidateStatistics(id: $0.id, candidate: $0.candidate)
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
        statistics.selectedCandidatePairChanges = selection.changes
        statistics.counters = counters
        return statistics
    }
}
