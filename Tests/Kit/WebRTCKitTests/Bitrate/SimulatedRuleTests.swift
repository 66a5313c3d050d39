import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@testable import RTC
@testable import WebRTCKit

/// The kit's rule beside the engine's estimate, in a call across a simulated network: what a call's senders would be told.
@Suite("The kit's rule in a simulated call")
struct SimulatedRuleTests {
    /// A call in which alice's encoders obey both, and the other side reports as it does.
    private struct Call {
        var pair: SimulatedPair
        var uplink: SimulatedNetwork.LinkID
        var ids: [MediaKind: TransceiverID] = [:]
        var states: [MediaKind: SendingState] = [
            .audio: SendingState(.defaultForAudio), .video: SendingState(.defaultForVideo),
        ]
        var lowest: [MediaKind: Int] = [.audio: .max, .video: .max]
        private var next = Instant.zero
        private var second = Instant.zero
        private var number = 0
        private var bytes = 0

        private static let capabilities = MediaCapabilities(
            codecs: [
                RTPCodec(
                    kind: .audio, name: "opus", clockRate: 48_000, channels: 2,
                    formatParameters: "minptime=10;useinbandfec=1", feedback: ["transport-cc"]),
                RTPCodec(
                    kind: .video, name: "VP8", clockRate: 90_000,
                    feedback: ["ccm fir", "nack", "nack pli", "goog-remb", "transport-cc"]),
            ], headerExtensions: RTPHeaderExtension.allCases.map(\.uri))

        init(seed: UInt64, _ conditions: LinkConditions) throws {
            var network = SimulatedNetwork(seed: seed)
            let hosts = [network.addHost(), network.addHost()]
            var links: [SimulatedNetwork.LinkID] = []
            for (index, host) in hosts.enumerated() {
                links.append(
                    network.addInterface(to: host, address: IPAddress(192, 0, 2, UInt8(index + 1))).uplink)
                network.setConditions(conditions, on: links[index])
            }
            uplink = links[0]
            var settings = SimulatedPairSettings(seed: seed)
            settings.configure = { _, configuration in
                configuration.media = Self.capabilities
                configuration.startBitrate = .kilobits(1_016)
            }
            pair = try SimulatedPair(settings, SimulatedTopology(network: network, alice: hosts[0], bob: hosts[1]))
            ids[.audio] = try pair.with(.alice) { try $0.addTrack(.audio, trackID: "a", streamIDs: ["c"], at: $1) }
            ids[.video] = try pair.with(.alice) { try $0.addTrack(.video, trackID: "v", streamIDs: ["c"], at: $1) }
            next = pair.now
            second = pair.now + .seconds(1)
        }

        /// What one of both is told to make at present.
        func bitrate(_ kind: MediaKind) -> Int {
            let rule = states[kind]?.bitrate.bitrate ?? 0
            let share = ids[kind].flatMap { pair.alice.targetBitrates[$0] }.map { Int($0.bitsPerSecond) } ?? rule
            return min(rule, max(share, kind == .audio ? 6_000 : 50_000))
        }

        mutating func run(seconds: Int) {
            let end = pair.now + .seconds(Int64(seconds))
            while pair.now < end {
                _ = pair.run(for: max(next - pair.now, .zero)) { _ in false }
                if next <= pair.now { send() }
                if second <= pair.now { look() }
            }
        }

        /// A packet of sound, and each other time a picture.
        private mutating func send() {
            next = next + .milliseconds(20)
            number += 1
            for (kind, id) in ids where pair.alice.peer.isSending(id) && (kind == .audio || number % 2 == 0) {
                let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: number) &* (kind == .audio ? 960 : 1_800))
                let queue = pair.alice.peer.mediaQueueTime
                let share = kind == .audio ? 1 : EncoderPushback().factor(queue: queue)
                let size = max(Int(Double(bitrate(kind)) * share) / 8 / (kind == .audio ? 50 : 25), 20)
                pair.with(.alice) { peer, now in
                    switch kind {
                    case .audio:
                        peer.send(
                            EncodedAudioFrame(
                                format: .opus, data: [UInt8](repeating: 1, count: size), timestamp: timestamp,
                                duration: 960), captureTime: now, on: id, at: now)
                    case .video where peer.mediaQueueTime <= EncoderRateControl.longestQueue:
                        peer.send(
                            EncodedVideoFrame(
                                format: .vp8, data: [UInt8](repeating: 1, count: size), isKeyFrame: number == 2,
                                timestamp: timestamp), captureTime: now, on: id, at: now)
                    case .video: break
                    }
                }
            }
        }

        /// As the kit does once a second.
        private mutating func look() {
            second = second + .seconds(1)
            let total = pair.network.statistics(of: uplink).passedBytes
            for (kind, id) in ids {
                guard let counts = pair.alice.peer.outgoingStatistics(id), let remote = counts.remote else { continue }
                let time = remote.time.nanoseconds
                let lost = Int(remote.packetsLost)
                let report = RemoteInboundRTPStatistics(
                    id: "R", kind: kind, ssrc: 1, localId: "O", codecId: nil, timestamp: Double(time) / 1e9,
                    packetsReceived: Int(remote.packetsReported) - lost, packetsLost: lost,
                    fractionLost: remote.fractionLost, jitter: 0,
                    roundTripTime: nil)
                states[kind]?.take(
                    report, repairedBy: kind == .video ? .retransmission : .nextPacket,
                    sentAgain: Int(counts.stream.retransmittedPacketsSent), bytesSent: total, path: "P",
                    at: .nanoseconds(pair.now.nanoseconds))
                lowest[kind] = min(lowest[kind] ?? 0, states[kind]?.bitrate.bitrate ?? 0)
            }
        }
    }

    @Test("10 % of random loss: neither of both goes below where it began, and both go up", arguments: 1...5)
    func randomLoss(seed: UInt64) throws {
        var call = try Call(
            seed: seed,
            LinkConditions(
                bandwidth: .megabits(3), delay: .milliseconds(25), loss: .random(0.1), queue: .time(.milliseconds(300)))
        )
        call.run(seconds: 60)
        #expect(call.lowest[.video] ?? 0 >= 750_000, "\(call.lowest)")
        #expect(call.lowest[.audio] ?? 0 >= 16_000, "\(call.lowest)")
        #expect(call.states[.video]?.bitrate.bitrate ?? 0 > 1_000_000)
        #expect(call.bitrate(.video) > 600_000, "\(call.bitrate(.video))")
        #expect(call.bitrate(.audio) >= 16_000)
        let least = VideoLadder(.balanced).least(0, width: 640, height: 360, framerate: 25)
        #expect(Double(call.bitrate(.video)) >= least, "a picture of 360 rows keeps its size")
    }

    @Test("A narrow path: sound keeps its rate, and the picture is cut", arguments: 1...3)
    func narrow(seed: UInt64) throws {
        var call = try Call(
            seed: seed,
            LinkConditions(bandwidth: .kilobits(200), delay: .milliseconds(25), queue: .time(.milliseconds(300))))
        call.run(seconds: 60)
        #expect(call.bitrate(.audio) >= 16_000)
        #expect(call.ids[.audio].flatMap { call.pair.alice.targetBitrates[$0] }?.bitsPerSecond ?? 0 >= 24_000)
        #expect(call.bitrate(.video) < 200_000)
    }

    @Test("A path that carries little more than the least picture: sound goes down, to its minimum", arguments: 1...3)
    func tooNarrow(seed: UInt64) throws {
        var call = try Call(
            seed: seed,
            LinkConditions(bandwidth: .kilobits(60), delay: .milliseconds(25), queue: .time(.milliseconds(300))))
        call.run(seconds: 60)
        #expect(call.bitrate(.audio) < 16_000)
        #expect(call.bitrate(.audio) >= 6_000)
    }
}
