import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Setting up a connection")
struct SetupTests {
    /// Signals and datagrams take the same 100 ms one way, so that times can be read as round trips of 200 ms.
    ///
    /// - Returns: When the channel could be used, in round trips from the first local description on.
    private func roundTrips(
        opener: SimulatedSide, _ version: DTLSVersion
    ) throws -> (opener: Double, other: Double) {
        let pair = try SimulatedPair.direct(
            seed: 1, LinkConditions(delay: .milliseconds(100)), signalingDelay: .milliseconds(100)
        ) {
            $0.configure = { $1.dtlsVersions = version...version }
        }
        try pair.openChannel(DataChannelParameters(label: "data"), on: opener)
        let areOpen = pair.run(for: .seconds(10)) {
            $0.alice.timeOfFirstOpenChannel != nil && $0.bob.timeOfFirstOpenChannel != nil
        }
        #expect(areOpen)
        func trips(_ side: SimulatedSide) -> Double {
            pair.endpoint(side).timeOfFirstOpenChannel.map { Double(($0 - .zero).milliseconds) / 200 } ?? .infinity
        }
        return (trips(opener), trips(opener.other))
    }

    /// One round trip for offer and answer, during which the answerer's check is on its way already; one for the
    /// offerer's check; one for DTLS 1.3, with whose last flight SCTP begins; one for SCTP; and half a one for the opening
    /// message.
    @Test(
        "takes four round trips until a channel is open, and half a one more at the other end",
        arguments: SimulatedSide.allCases)
    func roundTrips13(opener: SimulatedSide) throws {
        let trips = try roundTrips(opener: opener, .v13)
        #expect(trips.opener == 4 && trips.other == 4.5, "\(trips.opener) and \(trips.other) round trips")
    }

    @Test("takes at most one round trip more with DTLS 1.2", arguments: SimulatedSide.allCases)
    func roundTrips12(opener: SimulatedSide) throws {
        let trips = try roundTrips(opener: opener, .v12)
        #expect(max(trips.opener, trips.other) <= 5.5, "\(trips.opener) and \(trips.other) round trips")
    }

    @Test("uses checks and a ClientHello that come before the answer does", arguments: Seeds.few)
    func earlyPackets(seed: UInt64) throws {
        // Bob's answer is on its way for a second, while his packets take 10 ms.
        let pair = try SimulatedPair.direct(
            seed: seed, LinkConditions(delay: .milliseconds(10)), signalingDelay: .seconds(1))
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(
            pair.run(for: .seconds(20)) {
                $0.areConnected && $0.bob.timeOfFirstOpenChannel != nil && $0.alice.timeOfFirstOpenChannel != nil
            })
        let answered = try #require(pair.alice.time { if case .signalingState(.stable) = $0 { true } else { false } })
        let connected = try #require(pair.alice.time(of: .connected))
        #expect(answered == .zero + .seconds(2))
        // Nothing waits for a retransmission: checks are answered and the handshake goes on at once.
        #expect(connected - answered < .milliseconds(150), "\((connected - answered).milliseconds) ms")
    }

    @Test("works in every weather, and keeps every promise", arguments: Weather.all, Seeds.all)
    func weather(weather: Weather, seed: UInt64) throws {
        let pair = try SimulatedPair.direct(seed: seed, weather.conditions) {
            if weather.mayFail { $0.configure = { $1.handshakeTimeout = .seconds(300) } }
        }
        let traffic = try Traffic(pair, opener: nil)
        let isDone = traffic.run(for: .seconds(900), restarts: weather.mayFail)
        #expect(isDone, "\(traffic.receivedCount) messages have come")
        traffic.check()
        pair.close(.alice)
        pair.close(.bob)
        pair.expectSilence()
    }

    @Test("gives the same bytes for the same seed, and others for another", arguments: Seeds.few)
    func determinism(seed: UInt64) throws {
        func run(_ seed: UInt64) throws -> [UInt64] {
            let weather = try #require(Weather.all.last)
            let pair = try SimulatedPair.direct(seed: seed, weather.conditions)
            let traffic = try Traffic(pair)
            #expect(traffic.run(for: .seconds(900)))
            return [
                pair.network.trafficFingerprint, UInt64(pair.network.statistics.sent), UInt64(pair.now.nanoseconds),
            ]
        }
        let first = try run(seed)
        #expect(try run(seed) == first)
        #expect(try run(seed &+ 1_000_000) != first)
    }

    @Test("by hand, with offers and answers that the application sets")
    func manual() throws {
        let pair = try SimulatedPair.direct(seed: 1) { $0.negotiation = { _ in .manual } }
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(pair.alice.time { if case .negotiationNeeded = $0 { true } else { false } } != nil)
        try pair.offer(from: .alice)
        #expect(pair.run(for: .seconds(10)) { $0.areConnected && $0.bob.channel("data")?.state == .open })
        #expect(pair.alice.refusedSignals.isEmpty && pair.bob.refusedSignals.isEmpty)
    }

    @Test("with another certificate than announced ends in failure, and not a byte has passed")
    func wrongFingerprint() throws {
        let pair = try SimulatedPair.direct(seed: 1) { $0.negotiation = { _ in .manual } }
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        try pair.with(.alice) { try $0.setLocalDescription(nil, at: $1) }
        let description = pair.alice.peer.localDescription
        let offer = try #require(description)
        // Somebody in the middle of the signalling announces a certificate of their own.
        let lines = offer.sdp.split(separator: "\r\n").map { line -> String in
            guard line.hasPrefix("a=fingerprint:"), let space = line.firstIndex(of: " ") else { return String(line) }
            return line[...space] + Array(repeating: "AB", count: 32).joined(separator: ":")
        }
        let forged = SessionDescription(type: .offer, sdp: lines.joined(separator: "\r\n") + "\r\n")
        pair.inject(.description(forged), into: .bob)
        pair.run(for: .seconds(30))
        #expect(pair.bob.peer.connectionState == .failed)
        #expect(pair.bob.peer.failure == .dtls(.certificateRejected))
        #expect(pair.alice.peer.connectionState == .failed)
        #expect(pair.alice.timeOfFirstOpenChannel == nil && pair.bob.timeOfFirstOpenChannel == nil)
        #expect(pair.bob.peer.sctpStatistics.packetsReceived == 0)
    }
}
