import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Setting up a connection")
struct SetupTests {
    /// Signals and datagrams take the same 100 ms one way, so that times can be read as round trips of 200 ms.
    private func roundTrips(_ change: (inout SimulatedPairSettings) -> Void = { _ in }) throws -> (
        alice: Double, bob: Double
    ) {
        let pair = try SimulatedPair.direct(
            seed: 1, LinkConditions(delay: .milliseconds(100)), signalingDelay: .milliseconds(100), change)
        try pair.openChannel(DataChannelParameters(label: "data"), on: .alice)
        #expect(
            pair.run(for: .seconds(10)) {
                $0.alice.timeOfFirstOpenChannel != nil && $0.bob.timeOfFirstOpenChannel != nil
            })
        let times = [pair.alice, pair.bob].map {
            $0.timeOfFirstOpenChannel.map { ($0 - .zero).seconds / 0.2 } ?? .infinity
        }
        return (times[0], times[1])
    }

    @Test("takes this many round trips from the offer to an open channel, and no more")
    func roundTrips13() throws {
        let trips = try roundTrips()
        #expect(trips.alice <= 4.5, "alice: \(trips.alice) round trips")
        #expect(trips.bob <= 4.5, "bob: \(trips.bob) round trips")
    }

    @Test("takes half a round trip more with DTLS 1.2")
    func roundTrips12() throws {
        let trips = try roundTrips { $0.configure = { $1.dtlsVersions = .v12 ... .v12 } }
        #expect(trips.alice <= 5 && trips.bob <= 5, "\(trips)")
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
        let pair = try SimulatedPair.direct(seed: seed, weather.conditions)
        let traffic = try Traffic(pair, opener: nil)
        #expect(traffic.run(for: .seconds(900)), "\(traffic.receivedCount) messages have come")
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
        #expect(pair.bob.peer.sctpStatistics == pair.bob.peer.sctpStatistics)
    }
}
