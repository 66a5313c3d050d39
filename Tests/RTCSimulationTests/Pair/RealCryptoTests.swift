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
        try SimulatedPair.direct(seed: seed, weather.conditions) {
            $0.crypto = { _, _ in (BoringCrypto(), try Certificate.generate(now: 1_800_000_000)) }
            change(&$0)
        }
    }

    @Test("keep every promise in every weather", arguments: Weather.all, [1, 2, 3] as [UInt64])
    func weather(weather: Weather, seed: UInt64) throws {
        let pair = try pair(weather, seed: seed)
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
