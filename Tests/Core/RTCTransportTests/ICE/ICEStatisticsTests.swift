import RTCTransport
import RTCWire
import Testing

@Suite("ICE: statistics")
struct ICEStatisticsTests {
    @Test("Both sides count what they sent and got, under the names of webrtc-stats")
    func counts() throws {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.network.run(for: .seconds(30))
        let left = pair.left.statistics
        let right = pair.right.statistics
        let mine = try #require(left.candidatePairs.first)
        let theirs = try #require(right.candidatePairs.first)
        #expect(left.selectedCandidatePairID == mine.id)
        #expect(left.selectedCandidatePairChanges == 1)
        #expect(mine.state == .succeeded && mine.nominated)
        #expect(mine.requestsSent == theirs.requestsReceived)
        #expect(mine.responsesReceived == theirs.responsesSent)
        #expect(mine.requestsReceived == theirs.requestsSent)
        #expect(mine.requestsSent == mine.responsesReceived)
        #expect(mine.consentRequestsSent >= 4)
        #expect(mine.currentRoundTripTime == .milliseconds(20))
        #expect(mine.totalRoundTripTime == .milliseconds(20) * Int64(mine.roundTripTimeMeasurements))
        #expect(mine.priority == theirs.priority)
        let local = try #require(left.localCandidates.first { $0.id == mine.localCandidateID })
        let remote = try #require(left.remoteCandidates.first { $0.id == mine.remoteCandidateID })
        #expect(local.candidate.transportAddress == iceAddress("192.0.2.1:1000"))
        #expect(local.socket == SocketID(1))
        #expect(remote.candidate.transportAddress == iceAddress("192.0.2.2:2000"))
        #expect(left.counters == ICECounters())
    }

    @Test("They are still there after the end")
    func afterwards() {
        let pair = ICETestPair()
        #expect(pair.connect())
        pair.left.agent.close(at: pair.network.now)
        #expect(pair.left.statistics.candidatePairs.count == 1)
        #expect(pair.left.statistics.selectedCandidatePairID == nil)
    }
}
