import RTCPeer
import RTCSimulation
import RTCWire
import Testing

@Suite("Reading traces")
struct CallTraceTests {
    private static let heading = "# duet trace 1 1764000000000 7\n"

    private func calls(_ text: String) -> [CallTrace] { CallTrace.calls(in: Array(text.utf8)) }

    @Test("What a connection writes is read")
    func written() throws {
        var text = TraceText(at: .zero, timeOfDay: 1_764_000_000_000, chapter: 7)
        var now = CongestionSnapshot()
        (now.packetsSent, now.packetsAcknowledged, now.bytesAcknowledged, now.packetsLost) = (10, 8, 7_500, 2)
        (now.lossRuns, now.packetsReordered, now.reorderingDelay) = (1, 2, .milliseconds(70))
        (now.bytesInFlight, now.target) = (700, .kilobits(500))
        (now.standingQueue, now.roundTripTime) = (.milliseconds(12), .milliseconds(48))
        text.sample(now, at: .zero + .milliseconds(100))
        text.pathChanged(at: .zero + .milliseconds(150))
        now.packetsLost = 1
        text.sample(now, at: .zero + .milliseconds(200))
        text.stream(
            TraceText.Stream(isVideo: true, isSent: false, counts: [9, 8_000, 1, 25, 400], values: [640, 360]),
            number: 3, at: .zero + .seconds(1))
        let bytes = text.take()
        let trace = try #require(CallTrace.calls(in: bytes).first)
        #expect(trace.timeOfDay == 1_764_000_000_000 && trace.number == 7)
        #expect(trace.pathChanges == [.milliseconds(150)])
        let video = try #require(trace.receivedVideo.first)
        #expect(video.time == .seconds(1) && video.frames == 25 && video.frozen == .milliseconds(400))
        #expect(trace.samples.count == 2)
        let sample = try #require(trace.samples.first)
        #expect(sample.time == .milliseconds(100) && sample.packetsSent == 10 && sample.packetsAcknowledged == 8)
        #expect(sample.bytesAcknowledged == 7_500 && sample.packetsLost == 2 && sample.bytesInFlight == 700)
        #expect(sample.target == .kilobits(500) && sample.queue == .milliseconds(12))
        #expect(sample.roundTripTime == .milliseconds(48) && sample.lossRuns == 1 && sample.packetsReordered == 2)
        #expect(sample.reorderingDelay == .milliseconds(70))
        #expect(trace.samples[1].packetsLost == -1 && trace.samples[1].lossRuns == 0)
    }

    @Test("Connections that write to one file are told apart")
    func interleaved() {
        let found = calls(
            "p 9\n" + Self.heading + "p 1\n# duet trace 1 1764000000000 9\np 2\n" + Self.heading + "p 3\n")
        #expect(found.map(\.number) == [7, 9])
        #expect(found.map(\.pathChanges) == [[.milliseconds(1), .milliseconds(3)], [.milliseconds(2)]])
    }

    @Test(
        "Lines that are none are skipped",
        arguments: [
            "", "s", "s ", "s 300", "s 300 1 900 1 900 0 0 6000 500000 0 0 40 0 0", "s  300 1", "p x", "p 1 2", "p -3",
            "p 99999999999999999999", "p 21600001", "q 5", "s 100 1 900 1 900 0 0 6000 500000 0 0 40 0 0 0",
            "s 300 1 900 1 900 0 0 6000 500000 0 0 40 0 0 0 0", "d 300 1 2 3", "d 200 1", "#", "# duet trace 2 5 5",
            "p --3", "p 3-", "V 300 1 2",
        ])
    func skipped(line: String) throws {
        let first = "s 200 1 900 1 900 0 0 6000 500000 0 0 40 0 0 0\n"
        let found = calls(Self.heading + first + line + "\n")
        let expected = calls(Self.heading + first)
        #expect(found == expected && found.first?.samples.count == 1)
    }

    @Test("A line without its end is not read: the number may go on")
    func cutOff() {
        let found = calls(Self.heading + "p 100\np 20")
        #expect(found.map(\.pathChanges) == [[.milliseconds(100)]])
    }

    @Test("What a file may cost is bounded")
    func bounded() throws {
        let many = (0..<2_000).map { "# duet trace 1 5 \($0)\n" }.joined()
        #expect(calls(many).count == CallTrace.mostCalls)
        // Numbers as large as they may be.
        let most = "999999999999999"
        let numbers = ([String](repeating: most, count: 4) + ["-" + most] + [String](repeating: most, count: 9))
            .joined(separator: " ")
        let lines = "s 21600000 \(numbers)\nd 21600000 -\(most) \(most) \(most)\n"
        let trace = try #require(calls(Self.heading + lines).first)
        #expect(trace.samples.count == 1)
        let link = TracedLink(trace)
        #expect(link.intervals.count == 216_001)
        let schedule = TracedSchedule(title: "hostile", forward: link)
        #expect(throws: Never.self) { try NetworkSchedule(schedule.text) }
    }
}
