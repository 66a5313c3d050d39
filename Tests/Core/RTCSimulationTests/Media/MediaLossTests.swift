import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Pictures and sound over a bad network")
struct MediaLossTests {
    /// A way to be bad, and what can be expected all the same.
    struct Weather: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var conditions: LinkConditions
        /// The least share of the pictures sent that come.
        var share: Double
        /// Half of the pictures come within this.
        var medianDelay: TimeDelta

        init(
            _ name: String, _ conditions: LinkConditions, share: Double, medianDelay: TimeDelta = .milliseconds(150)
        ) {
            testDescription = name
            self.conditions = conditions
            self.share = share
            self.medianDelay = medianDelay
        }
    }

    private static func losing(_ loss: LossModel) -> LinkConditions {
        LinkConditions(delay: .milliseconds(20), loss: loss)
    }

    private static var reordering: LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(20))
        conditions.reordering = Reordering(probability: 0.05, delay: .milliseconds(15))
        return conditions
    }

    private static var farReordering: LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(20))
        conditions.reordering = Reordering(probability: 0.05, delay: .milliseconds(200))
        return conditions
    }

    private static var duplicating: LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(20))
        conditions.duplication = 0.2
        return conditions
    }

    static let weathers = [
        Weather("1 % loss", losing(.random(0.01)), share: 0.99),
        Weather("5 % loss", losing(.random(0.05)), share: 0.97),
        Weather("10 % loss", losing(.random(0.1)), share: 0.95),
        Weather("20 % loss", losing(.random(0.2)), share: 0.85, medianDelay: .milliseconds(300)),
        Weather("bursts of loss", losing(.bursts(rate: 0.05, meanLength: 8)), share: 0.95),
        Weather("reordering", reordering, share: 0.99),
        Weather("reordering by 200 ms", farReordering, share: 0.99),
        Weather("duplication", duplicating, share: 1),
        Weather(
            "200 ms of jitter in order",
            LinkConditions(delay: .milliseconds(20), jitter: .uniform(upTo: .milliseconds(200))), share: 0.99,
            medianDelay: .milliseconds(400)),
        Weather(
            "200 ms of jitter without order",
            LinkConditions(delay: .milliseconds(20), jitter: .uniform(upTo: .milliseconds(200), keepsOrder: false)),
            share: 0.95, medianDelay: .milliseconds(500)),
    ]

    @Test("give only what can be decoded, and most of it", arguments: weathers)
    func weather(weather: Weather) throws {
        for seed in Seeds.few.prefix(3) {
            let call = try MediaCall(seed: seed, weather.conditions)
            #expect(call.run(for: .seconds(20)) { $0.areConnected })
            let start = call.pair.now
            call.run(for: .seconds(20))
            #expect(!call.pair.isStuck)
            for camera in call.cameras {
                let name: Comment = "\(weather.testDescription), seed \(seed), \(camera.side)"
                let share = call.expectDecodable(camera, after: .seconds(2))
                #expect(share >= weather.share, name)
                let delays = call.delays(of: camera, since: start + .seconds(5)).sorted()
                try #require(!delays.isEmpty)
                #expect(delays[delays.count / 2] < weather.medianDelay, name)
                let sender = try #require(
                    call.pair.endpoint(camera.side).peer.outgoingStatistics(camera.transceiver)?.stream)
                if MediaReport.isWanted {
                    let stats = call.receiver(of: camera.transceiver, on: camera.side).flatMap {
                        call.pair.endpoint(camera.side.other).peer.incomingStatistics($0)
                    }
                    print(
                        name, "share", share, "median", delays[delays.count / 2], "p95",
                        delays[delays.count * 95 / 100], "max", delays.last ?? .zero, "sent", camera.sent.count,
                        "left out", camera.leftOut, "keys", camera.sent.count { $0.mark.reference == nil }, "packets",
                        sender.packetsSent, "rtx", sender.retransmittedPacketsSent, "refused",
                        sender.refusedRetransmissions, "nack", sender.nackCount, "pli", sender.pliCount, "target",
                        call.pair.endpoint(camera.side).peer.availableOutgoingBitrate, "lost",
                        stats?.packetsLost ?? -1, "dropped", stats?.video?.framesDropped ?? -1)
                }
                let target = call.pair.endpoint(camera.side).peer.availableOutgoingBitrate
                if weather.conditions.reordering.probability > 0 { #expect(target > .kilobits(800), name) }
                if weather.conditions.loss != .none {
                    #expect(sender.nackCount > 0 && sender.retransmittedPacketsSent > 0, name)
                    // Nearly everything that is lost is repaired, and not by key frames.
                    #expect(sender.retransmittedPacketsSent < sender.packetsSent, name)
                }
            }
        }
    }

    @Test("move again within 500 ms of an outage of 300 ms, and do not stay late", arguments: Seeds.few)
    func outage(seed: UInt64) throws {
        let call = try MediaCall(seed: seed)
        #expect(call.run(for: .seconds(5)) { $0.areConnected })
        let sounds = [try call.recordAudio(to: .alice), try call.recordAudio(to: .bob)]
        call.run(for: .seconds(5))
        let before = call.cameras.map { call.delays(of: $0, since: call.pair.now - .seconds(2)).max() ?? .zero }
        call.pair.setAllLinks(up: false)
        call.run(for: .milliseconds(300))
        call.pair.setAllLinks(up: true)
        let end = call.pair.now
        call.run(for: .seconds(10))
        for (index, camera) in call.cameras.enumerated() {
            call.expectDecodable(camera)
            // In motion: the first picture that was captured after the outage, and from then on no gap.
            let moves = call.pictures(of: camera).first { picture in
                guard let mark = SyntheticVideo.mark(of: picture.picture.frame) else { return false }
                return camera.sent[mark.number - 1].time >= end - .milliseconds(20)
            }
            let time = try #require(moves).time - end
            if MediaReport.isWanted { print("outage: moves after", time) }
            #expect(time < .milliseconds(500), "\(camera.side)")
            let times = call.pictures(of: camera).map(\.time).filter { $0 > end + time }
            let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
            #expect(longest < .milliseconds(150))
            let after = call.delays(of: camera, since: call.pair.now - .seconds(2)).max() ?? .seconds(9)
            if MediaReport.isWanted { print("outage: delay before", before[index], "after", after) }
            #expect(after < before[index] + .milliseconds(50))
        }
        for sound in sounds {
            let resumed = sound.packets.first { $0.info.arrival >= end }
            #expect(try #require(resumed).info.arrival - end < .milliseconds(50))
        }
    }

    @Test("do without retransmission when the other side knows none: by key frames", arguments: Seeds.few.prefix(3))
    func withoutRetransmission(seed: UInt64) throws {
        var capabilities = MediaCapabilities.everything
        capabilities.video.isRetransmissionOffered = false
        let call = try MediaCall(
            seed: seed, LinkConditions(delay: .milliseconds(20), loss: .random(0.01)), capabilities: capabilities)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(20))
        for camera in call.cameras {
            let share = call.expectDecodable(camera)
            #expect(share > 0.5, "\(share)")
            let stream = call.pair.endpoint(camera.side).peer.outgoingStatistics(camera.transceiver)?.stream
            #expect(stream?.retransmittedPacketsSent == 0)
            #expect(camera.sent.count { $0.mark.reference == nil } > 1)
        }
    }
}

extension SimulatedPair {
    func setAllLinks(up isUp: Bool) {
        network.setBlocked(!isUp, between: IPAddress(192, 0, 2, 1), and: IPAddress(192, 0, 2, 2))
    }
}
