import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// Calls over networks that lose packets, with one temporal layer and with several.
@Suite("Temporal layers in a call")
struct TemporalLayerCallTests {
    /// What was seen of a camera in 40 seconds.
    struct Outcome {
        /// The parts of the time in gaps of more than 150 ms, and of more than 100 ms.
        var frozen = 0.0
        var halting = 0.0
        var longestGap = 0.0
        var shown = 0.0
        var keyFrameRequests = 0.0
        var nacks = 0.0
        var retransmissions = 0.0

        static func + (left: Outcome, right: Outcome) -> Outcome {
            Outcome(
                frozen: left.frozen + right.frozen, halting: left.halting + right.halting,
                longestGap: max(left.longestGap, right.longestGap), shown: left.shown + right.shown,
                keyFrameRequests: left.keyFrameRequests + right.keyFrameRequests, nacks: left.nacks + right.nacks,
                retransmissions: left.retransmissions + right.retransmissions)
        }

        func divided(by count: Double) -> Outcome {
            Outcome(
                frozen: frozen / count, halting: halting / count, longestGap: longestGap, shown: shown / count,
                keyFrameRequests: keyFrameRequests / count, nacks: nacks / count,
                retransmissions: retransmissions / count)
        }
    }

    enum Loss: String, CaseIterable {
        case none, one, two, five, ten, bursts

        var model: LossModel {
            switch self {
            case .none: .none
            case .one: .random(0.01)
            case .two: .random(0.02)
            case .five: .random(0.05)
            case .ten: .random(0.1)
            case .bursts: .bursts(rate: 0.02, meanLength: 8)
            }
        }
    }

    static func measure(
        _ mode: ScalabilityMode, _ loss: Loss, roundTrip: Int64, format: PayloadFormat = .vp8,
        isProtected: Bool = false,
        seeds: some Sequence<UInt64> = Seeds.few.prefix(3)
    ) throws -> Outcome {
        var sum = Outcome()
        var count = 0.0
        var capabilities = MediaCapabilities.everything
        capabilities.video.isProtectionOffered = isProtected
        for seed in seeds {
            let conditions = LinkConditions(
                bandwidth: .megabits(3), delay: .milliseconds(roundTrip / 2), loss: loss.model)
            let call = try MediaCall(seed: seed, conditions, format: format, capabilities: capabilities)
            for index in call.cameras.indices { call.cameras[index].mode = mode }
            try #require(call.run(for: .seconds(20)) { $0.areConnected })
            call.run(for: .seconds(5))
            let start = call.pair.now
            call.run(for: .seconds(40))
            for camera in call.cameras {
                call.expectDecodable(camera)
                let times = call.pictures(of: camera).map(\.picture.renderTime).filter { $0 >= start }
                let gaps = zip(times, times.dropFirst()).map { ($1 - $0).seconds }
                let statistics = try #require(
                    call.pair.endpoint(camera.side).peer.outgoingStatistics(camera.transceiver)?.stream)
                sum =
                    sum
                    + Outcome(
                        frozen: gaps.filter { $0 > 0.15 }.reduce(0, +) / 40,
                        halting: gaps.filter { $0 > 0.1 }.reduce(0, +) / 40, longestGap: gaps.max() ?? 40,
                        shown: Double(times.count) / 1_200, keyFrameRequests: Double(statistics.pliCount),
                        nacks: Double(statistics.nackCount),
                        retransmissions: Double(statistics.retransmittedPacketsSent))
                count += 1
            }
        }
        return sum.divided(by: count)
    }

    @Test(
        "Every frame that is shown can be decoded, of both codecs and all modes", arguments: [PayloadFormat.vp8, .vp9])
    func decodable(format: PayloadFormat) throws {
        for mode in ScalabilityMode.allCases {
            let outcome = try Self.measure(mode, .ten, roundTrip: 60, format: format, seeds: [1])
            #expect(outcome.shown > 0.75, "\(mode)")
        }
    }

    @Test(
        "Losses freeze the picture with layers hardly more than without, and need hardly more key frames",
        arguments: [Loss.five, .ten, .bursts], [40, 200] as [Int64])
    func losses(loss: Loss, roundTrip: Int64) throws {
        let plain = try Self.measure(.l1t1, loss, roundTrip: roundTrip)
        let layered = try Self.measure(.l1t2, loss, roundTrip: roundTrip)
        if MediaReport.isWanted {
            print("layers", loss, roundTrip, "ms, L1T1:", plain)
            print("layers", loss, roundTrip, "ms, L1T2:", layered)
            print("layers", loss, roundTrip, "ms, L1T3:", try Self.measure(.l1t3, loss, roundTrip: roundTrip))
        }
        #expect(layered.frozen <= plain.frozen + 0.03)
        #expect(layered.keyFrameRequests <= plain.keyFrameRequests + 2)
        #expect(layered.retransmissions <= plain.retransmissions + 20)
    }

    @Test(
        "Over a long round trip error correction does more for one layer than two layers do without it",
        arguments: [Loss.five, .ten], [200] as [Int64])
    func besideErrorCorrection(loss: Loss, roundTrip: Int64) throws {
        let layered = try Self.measure(.l1t2, loss, roundTrip: roundTrip)
        let protected = try Self.measure(.l1t1, loss, roundTrip: roundTrip, isProtected: true)
        if MediaReport.isWanted {
            print("protected", loss, roundTrip, "ms, L1T1 plain:", try Self.measure(.l1t1, loss, roundTrip: roundTrip))
            print("protected", loss, roundTrip, "ms, L1T2 plain:", layered)
            print("protected", loss, roundTrip, "ms, L1T1:", protected)
            let both = try Self.measure(.l1t2, loss, roundTrip: roundTrip, isProtected: true)
            print("protected", loss, roundTrip, "ms, L1T2:", both)
        }
        #expect(protected.frozen <= layered.frozen)
    }

    @Test("Frames of the higher layer are left out while the network is too slow, and no key frame is made")
    func leftOut() throws {
        let call = try MediaCall(seed: 1, LinkConditions(bandwidth: .megabits(3), delay: .milliseconds(20)))
        for index in call.cameras.indices { call.cameras[index].mode = .l1t2 }
        try #require(call.run(for: .seconds(20)) { $0.areConnected })
        call.run(for: .seconds(10))
        let keys = call.cameras.map { $0.sent.count { $0.mark.reference == nil } }
        for link in call.uplinks {
            call.pair.network.setConditions(
                LinkConditions(bandwidth: .kilobits(450), delay: .milliseconds(20)), on: link)
        }
        call.run(for: .seconds(20))
        for (index, camera) in call.cameras.enumerated() {
            call.expectDecodable(camera)
            let made = camera.sent.count { $0.mark.reference == nil } - keys[index]
            let shown = call.pictures(of: camera).count { $0.time > call.pair.now - .seconds(10) }
            if MediaReport.isWanted { print("left out: \(made) key frames, \(shown) frames in ten seconds") }
            #expect(made <= 3)
            #expect(shown > 120)
        }
    }
}
