import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// What a trace is made of, beside what the simulated network counted.
@Suite("What congestion control tells of itself")
struct CongestionSnapshotTests {
    @Test("What was sent, acknowledged and lost is what the network saw", arguments: Seeds.few.prefix(3))
    func counts(seed: UInt64) throws {
        let call = try MediaCall(
            seed: seed, LinkConditions(delay: .milliseconds(20), loss: .random(0.05)))
        // What is told of alice's packets arrives.
        call.pair.network.setConditions(LinkConditions(delay: .milliseconds(20)), on: call.uplinks[1])
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(20))
        let snapshot = call.pair.alice.peer.congestion(at: call.pair.now)
        let (sent, acknowledged, lost) = (
            snapshot.packetsSent, snapshot.packetsAcknowledged, snapshot.packetsLost
        )
        #expect(sent > 1_000)
        // The last feedback is under way.
        #expect((sent - 100...sent).contains(acknowledged + lost), "\(snapshot)")
        #expect((0.03...0.07).contains(Double(lost) / Double(sent)), "\(snapshot)")
        #expect(
            snapshot.bytesAcknowledged < snapshot.bytesSent && snapshot.bytesAcknowledged > snapshot.bytesSent * 8 / 10)
        #expect(snapshot.target == call.pair.alice.peer.availableOutgoingBitrate)
        #expect((40...150).contains(snapshot.roundTripTime?.milliseconds ?? 0))
        #expect(snapshot.window > 0 && snapshot.bytesInFlight >= 0)
    }

    @Test("How losses follow each other is told", arguments: [1.0, 5.0])
    func lossRuns(meanLength: Double) throws {
        let call = try MediaCall(
            seed: 1, LinkConditions(delay: .milliseconds(20), loss: .bursts(rate: 0.05, meanLength: meanLength)))
        call.pair.network.setConditions(LinkConditions(delay: .milliseconds(20)), on: call.uplinks[1])
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(40))
        let snapshot = call.pair.alice.peer.congestion(at: call.pair.now)
        let length = Double(snapshot.packetsLost) / Double(max(snapshot.lossRuns, 1))
        #expect(meanLength == 1 ? length < 1.5 : length > 2.5 && length < 8, "\(snapshot)")
        #expect(snapshot.packetsReordered == 0)
    }

    @Test("Packets that arrive late are told, and how late", arguments: [10, 60] as [Int64])
    func reordering(delay: Int64) throws {
        var conditions = LinkConditions(delay: .milliseconds(20))
        conditions.reordering = Reordering(probability: 0.03, delay: .milliseconds(delay))
        let call = try MediaCall(seed: 1, conditions)
        call.pair.network.setConditions(LinkConditions(delay: .milliseconds(20)), on: call.uplinks[1])
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(40))
        let snapshot = call.pair.alice.peer.congestion(at: call.pair.now)
        let share = Double(snapshot.packetsReordered) / Double(max(snapshot.packetsAcknowledged, 1))
        #expect(share > 0.005 && share < 0.04, "\(snapshot)")
        let late = snapshot.reorderingDelay.milliseconds / Int64(max(snapshot.packetsReordered, 1))
        #expect(late > delay / 2 && late < delay * 3 / 2, "\(late)")
    }

    @Test("A queue that stands on the path is told", arguments: Seeds.few.prefix(2))
    func queue(seed: UInt64) throws {
        let call = try MediaCall(
            seed: seed,
            LinkConditions(bandwidth: .megabits(2), delay: .milliseconds(20), queue: .time(.milliseconds(500))))
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(10))
        let link = call.uplinks[0]
        call.pair.network.setConditions(
            LinkConditions(bandwidth: .kilobits(200), delay: .milliseconds(20), queue: .time(.milliseconds(500))),
            on: link)
        var most = TimeDelta.zero
        for _ in 0..<100 {
            call.run(for: .milliseconds(20))
            most = max(most, call.pair.alice.peer.congestion(at: call.pair.now).standingQueue)
        }
        #expect(most > .milliseconds(50))
    }
}
