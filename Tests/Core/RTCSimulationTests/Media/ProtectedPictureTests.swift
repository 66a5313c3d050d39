import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// Forward error correction of video (RFC 5109) between two peers, over long and short round trips.
@Suite("Pictures with error correction")
struct ProtectedPictureTests {
    /// What a call was like.
    private struct Outcome {
        /// The share of the time in gaps of more than 183 ms between frames, by when they are shown.
        var frozen = 0.0
        /// The longest gap.
        var longest = TimeDelta.zero
        /// The share of gaps of more than 80 ms: what is seen as a jerk.
        var jerks = 0
        var keyFrames = 0
        /// Packets of error correction for each media packet.
        var overhead = 0.0
        var recovered: UInt64 = 0
        var requested: UInt64 = 0
        var bitrate = 0.0
        var target = Bitrate.kilobits(0)
    }

    /// A call of 60 s, of which the last 50 count; what bob sees of alice.
    private static func outcome(
        _ loss: LossModel, roundTrip: Int64, seed: UInt64, isProtected: Bool, format: PayloadFormat = .vp8
    ) throws -> Outcome {
        var capabilities = MediaCapabilities.everything
        capabilities.video.isProtectionOffered = isProtected
        let conditions = LinkConditions(
            bandwidth: .megabits(4), delay: .milliseconds(roundTrip / 2), loss: loss, queue: .unlimited)
        let call = try MediaCall(seed: seed, conditions, format: format, capabilities: capabilities)
        try #require(call.run(for: .seconds(30)) { $0.areConnected })
        call.run(for: .seconds(10))
        let start = call.pair.now
        call.run(for: .seconds(50))
        let camera = try #require(call.cameras.first { $0.side == .alice })
        call.expectDecodable(camera, after: .seconds(2))
        let pictures = call.pictures(of: camera)
        let shown = pictures.map(\.picture.renderTime).filter { $0 > start }
        let gaps = zip(shown, shown.dropFirst()).map { $1 - $0 }
        var result = Outcome()
        result.frozen = gaps.filter { $0.seconds >= 0.183 }.reduce(0) { $0 + $1.seconds } / 50
        result.longest = gaps.max() ?? .seconds(50)
        result.jerks = gaps.count { $0 > .milliseconds(80) }
        result.keyFrames = camera.sent.count { $0.mark.reference == nil }
        let alice = call.pair.endpoint(.alice), bob = call.pair.endpoint(.bob)
        let sent = try #require(alice.peer.outgoingStatistics(camera.transceiver)?.stream)
        result.overhead = Double(sent.fecPacketsSent) / Double(sent.packetsSent - sent.fecPacketsSent)
        result.bitrate = Double(sent.bytesSent + sent.headerBytesSent) * 8 / 60
        result.target = alice.peer.availableOutgoingBitrate
        let id = try #require(call.receiver(of: camera.transceiver, on: .alice))
        let received = try #require(bob.peer.incomingStatistics(id)?.stream)
        result.recovered = received.packetsRecovered
        result.requested = received.retransmittedPacketsReceived
        #expect(received.fecPacketsDiscarded <= received.fecPacketsReceived)
        if !isProtected { #expect(sent.fecPacketsSent == 0 && received.fecPacketsReceived == 0) }
        if MediaReport.isWanted {
            print(
                "loss \(loss), round trip \(roundTrip), seed \(seed), \(isProtected ? "protected" : "plain"):",
                "frozen \(result.frozen * 100) %, longest \(result.longest.milliseconds), jerks \(result.jerks),",
                "key frames \(result.keyFrames), overhead \(result.overhead), recovered \(result.recovered),",
                "retransmitted \(result.requested), sent \(result.bitrate / 1_000) kbit/s, target \(result.target)")
        }
        return result
    }

    private static func outcomes(
        _ loss: LossModel, roundTrip: Int64, seeds: ClosedRange<UInt64>, format: PayloadFormat = .vp8
    ) throws -> (plain: [Outcome], protected: [Outcome]) {
        var result: (plain: [Outcome], protected: [Outcome]) = ([], [])
        for seed in seeds {
            result.plain.append(
                try outcome(loss, roundTrip: roundTrip, seed: seed, isProtected: false, format: format))
            result.protected.append(
                try outcome(loss, roundTrip: roundTrip, seed: seed, isProtected: true, format: format))
        }
        return result
    }

    private static func sum(_ outcomes: [Outcome], _ value: (Outcome) -> Double) -> Double {
        outcomes.reduce(0) { $0 + value($1) }
    }

    @Test(
        "Over 300 ms, random losses freeze the picture at most half as long",
        arguments: [(0.05, PayloadFormat.vp8), (0.1, .vp8), (0.05, .vp9)])
    func randomLoss(share: Double, format: PayloadFormat) throws {
        let (plain, protected) = try Self.outcomes(.random(share), roundTrip: 300, seeds: 1...2, format: format)
        let before = Self.sum(plain, \.frozen), after = Self.sum(protected, \.frozen)
        #expect(after < before / 2, "\(after) of \(before)")
        #expect(protected.allSatisfy { $0.recovered > 0 && $0.overhead <= VideoProtectionLimits.overhead })
    }

    @Test("Over 300 ms, losses in bursts of eight freeze the picture less")
    func bursts() throws {
        let loss = LossModel.bursts(rate: 0.02, meanLength: 8)
        let (plain, protected) = try Self.outcomes(loss, roundTrip: 300, seeds: 1...3)
        let before = Self.sum(plain, \.frozen), after = Self.sum(protected, \.frozen)
        #expect(after < before, "\(after) of \(before)")
    }

    @Test("Over 40 ms nothing is protected, and nothing changes", arguments: [0.0, 0.05, 0.1])
    func shortRoundTrip(share: Double) throws {
        let (plain, protected) = try Self.outcomes(
            share == 0 ? .none : .random(share), roundTrip: 40, seeds: 1...1)
        #expect(protected[0].overhead == 0 && protected[0].recovered == 0)
        #expect(protected[0].frozen == plain[0].frozen && protected[0].bitrate == plain[0].bitrate)
        #expect(protected[0].requested == plain[0].requested)
    }

    @Test("Without loss nothing is protected, over however long a round trip")
    func clean() throws {
        let outcome = try Self.outcome(.none, roundTrip: 300, seed: 1, isProtected: true)
        #expect(outcome.overhead == 0 && outcome.frozen == 0)
    }

    @Test("H.264 is not protected: without picture IDs lost parity would look like lost media")
    func h264() throws {
        let outcome = try Self.outcome(.random(0.05), roundTrip: 300, seed: 1, isProtected: true, format: .h264)
        #expect(outcome.overhead == 0 && outcome.recovered == 0)
    }
}

private enum VideoProtectionLimits {
    /// The most parities for a packet, key frames included.
    static let overhead = 0.6
}
