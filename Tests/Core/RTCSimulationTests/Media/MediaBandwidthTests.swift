import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Media on a narrow path")
struct MediaBandwidthTests {
    private static let narrow = LinkConditions(
        bandwidth: .megabits(1), delay: .milliseconds(20), queue: .time(.milliseconds(500)))

    /// One direction only, so that the path's capacity is the camera's.
    private func call(seed: UInt64, _ conditions: LinkConditions, _ capabilities: MediaCapabilities) throws -> MediaCall
    {
        let call = try MediaCall(seed: seed, conditions, capabilities: capabilities)
        for index in call.cameras.indices { call.cameras[index].bitrate = .megabits(3) }
        return call
    }

    @Test(
        "settles below what the path bears and above half of it, with a short queue",
        arguments: [true, false], Seeds.few.prefix(3))
    func settles(transportWide: Bool, seed: UInt64) throws {
        let call = try call(seed: seed, Self.narrow, transportWide ? .everything : .withREMB)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(20))
        let start = call.pair.now
        var targets: [SimulatedSide: [Int64]] = [:]
        for _ in 0..<200 {
            call.run(for: .milliseconds(100))
            for endpoint in [call.pair.alice, call.pair.bob] {
                targets[endpoint.side, default: []].append(endpoint.peer.availableOutgoingBitrate.bitsPerSecond)
            }
        }
        for camera in call.cameras {
            let targets = (targets[camera.side] ?? []).sorted()
            let delays = call.delays(of: camera, since: start).sorted()
            try #require(!delays.isEmpty)
            let received = call.pictures(of: camera).filter { $0.time >= start }
                .reduce(0) { $0 + $1.picture.frame.data.count }
            if MediaReport.isWanted {
                let sender = call.pair.endpoint(camera.side).peer.outgoingStatistics(camera.transceiver)?.stream
                print(
                    "bandwidth \(transportWide ? "twcc" : "remb") seed \(seed) \(camera.side): target median",
                    targets[targets.count / 2], "min", targets[0], "max", targets.last ?? 0, "delay median",
                    delays[delays.count / 2], "p95", delays[delays.count * 95 / 100], "max", delays.last ?? .zero,
                    "goodput", received * 8 / 20, "left out", camera.leftOut, "keys",
                    camera.sent.count { $0.mark.reference == nil }, "rtx", sender?.retransmittedPacketsSent ?? 0)
            }
            let median = targets[targets.count / 2]
            #expect(median < 1_000_000 && median > 500_000, "\(median)")
            #expect(received * 8 / 20 > 400_000)
            #expect(delays[delays.count / 2] < .milliseconds(250))
            #expect(delays[delays.count * 95 / 100] < .milliseconds(500))
            #expect(call.expectDecodable(camera) > 0.9)
        }
    }

    @Test("Nothing is sent once more to see what the path carries where nobody answers with feedback")
    func noPadding() throws {
        let call = try MediaCall(seed: 1, capabilities: .withREMB)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(60))
        for camera in call.cameras {
            let stream = call.pair.endpoint(camera.side).peer.outgoingStatistics(camera.transceiver)?.stream
            let sent = try #require(stream)
            #expect(sent.packetsSent > 1_000 && sent.paddingPacketsSent == 0, "\(sent.paddingPacketsSent)")
        }
    }

    @Test("Each sender knows what to begin with as soon as it is agreed upon, and what remains when others come")
    func begins() throws {
        let call = try call(seed: 1, LinkConditions(delay: .milliseconds(20)), .everything)
        let camera = call.cameras[0].transceiver
        try #require(call.run(for: .seconds(5)) { $0.alice.targetBitrates[camera] != nil })
        let start = call.pair.alice.peer.availableOutgoingBitrate.bitsPerSecond
        // Nothing has been sent yet; sound has its share.
        let isSending = call.pair.alice.peer.isSending(camera)
        #expect(!isSending)
        #expect(call.pair.alice.targetBitrates[camera]?.bitsPerSecond == start - 48_000)
        try #require(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(3))
        let alone = try #require(call.pair.alice.targetBitrates[camera])
        try call.addCamera(on: .alice)
        call.run(for: .milliseconds(500))
        let shared = try #require(call.pair.alice.targetBitrates[camera])
        #expect(shared.bitsPerSecond < alone.bitsPerSecond * 3 / 4)
    }

    @Test("A bitrate to begin with that no path has is what the estimate may be at most")
    func wildStart() throws {
        let call = try MediaCall(seed: 1) { settings in
            let configure = settings.configure
            settings.configure = { side, configuration in
                configure(side, &configuration)
                configuration.startBitrate = Bitrate(bitsPerSecond: .max)
            }
        }
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(3))
        let target = call.pair.alice.peer.availableOutgoingBitrate
        #expect(target <= .megabits(10))
        #expect(call.expectDecodable(call.cameras[0]) > 0.9)
    }

    @Test("A key frame does not leave as one burst", arguments: Seeds.few.prefix(1))
    func pacing(seed: UInt64) throws {
        let call = try MediaCall(seed: seed)
        #expect(call.run(for: .seconds(5)) { $0.areConnected })
        call.run(for: .seconds(3))
        let camera = try #require(call.cameras.first)
        let before = camera.sent.count
        call.cameras[0].needsKeyFrame = true
        call.run(for: .seconds(1))
        let key = try #require(
            call.pictures(of: call.cameras[0]).last { $0.picture.frame.isKeyFrame && $0.time > .zero })
        let mark = try #require(SyntheticVideo.mark(of: key.picture.frame))
        #expect(mark.number > before)
        let duration = key.picture.completed - key.picture.firstPacketArrival
        #expect(duration > .milliseconds(10) && duration < .milliseconds(120), "\(duration)")
    }

    @Test("A path that widens again is used again", arguments: Seeds.few.prefix(3))
    func widens(seed: UInt64) throws {
        let call = try call(seed: seed, Self.narrow, .everything)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(15))
        for side in SimulatedSide.allCases {
            let interface = call.uplinks[side.rawValue]
            call.pair.network.setConditions(
                LinkConditions(bandwidth: .megabits(5), delay: .milliseconds(20)), on: interface)
        }
        call.run(for: .seconds(30))
        for camera in call.cameras {
            let target = call.pair.endpoint(camera.side).peer.availableOutgoingBitrate
            if MediaReport.isWanted { print("widens: target", target) }
            #expect(target > .megabits(2), "\(target)")
        }
    }
}
