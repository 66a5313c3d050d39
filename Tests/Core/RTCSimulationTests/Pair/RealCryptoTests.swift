import RTCCrypto
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// BoringSSL brings randomness of its own, so outcomes are asserted here and no bytes.
@Suite("Two peers with the real crypto")
struct RealCryptoTests {
    private func pair(
        _ weather: Weather, seed: UInt64, _ change: (inout SimulatedPairSettings) -> Void = { _ in }
    ) throws -> SimulatedPair {
        // A handshake in the clear does not survive a wrong bit: in reality UDP's checksum keeps those away.
        var conditions = weather.conditions
        conditions.corruption = 0
        return try SimulatedPair.direct(seed: seed, conditions) {
            $0.crypto = { _, _ in (BoringCrypto(), try Certificate.generate(now: 1_800_000_000)) }
            change(&$0)
        }
    }

    @Test("keep every promise in every weather", arguments: Weather.all, Seeds.few)
    func weather(weather: Weather, seed: UInt64) throws {
        let pair = try pair(weather, seed: seed) {
            if weather.mayFail { $0.configure = { $1.handshakeTimeout = .seconds(300) } }
        }
        let traffic = try Traffic(pair)
        #expect(traffic.run(for: .seconds(900), restarts: weather.mayFail))
        traffic.check()
        #expect(pair.alice.peer.dtlsParameters?.version == .v13)
        pair.close(.alice)
        pair.close(.bob)
        pair.expectSilence()
    }

    @Test("speak DTLS 1.2 with a peer that has no newer")
    func dtls12() throws {
        let pair = try pair(Weather.all[0], seed: 1) {
            $0.configure = { side, configuration in
                if side == .bob { configuration.dtlsVersions = .v12 ... .v12 }
            }
        }
        let traffic = try Traffic(pair)
        #expect(traffic.run(for: .seconds(60)))
        traffic.check()
        #expect(pair.alice.peer.dtlsParameters?.version == .v12)
    }
}
