import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@testable import RTCPeer

@Suite("A bug of ours fails the connection")
struct InternalFailureTests {
    /// A provider that refuses what it must be able to do.
    private final class RefusingCrypto: CryptoProvider {
        enum Refusal { case digest, keys }

        let standIn: StandInCrypto
        let refusal: Refusal

        init(_ standIn: StandInCrypto, refuses refusal: Refusal) {
            self.standIn = standIn
            self.refusal = refusal
        }

        func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? {
            refusal == .digest ? nil : standIn.digest(algorithm, of: message)
        }

        func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] {
            standIn.hmac(algorithm, key: key, message: message)
        }

        func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
            try standIn.makeDTLSSession(configuration)
        }

        func makeSRTPCipher(
            profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
        ) throws(CryptoError) -> any SRTPCipher {
            guard refusal != .keys else { throw CryptoError("no such cipher") }
            return try standIn.makeSRTPCipher(profile: profile, masterKey: masterKey, masterSalt: masterSalt)
        }
    }

    /// The pair after alice has opened a channel.
    private func pair(refusing refusal: RefusingCrypto.Refusal) throws -> TwoPeers {
        let pair = TwoPeers(aliceCrypto: { RefusingCrypto($0, refuses: refusal) })
        pair.alice.peer.isBugExpected = true
        _ = try pair.alice.peer.openChannel(DataChannelParameters(label: "first"), at: pair.now)
        pair.run()
        return pair
    }

    private func expectFailure(of side: TwoPeers.Side, because reason: String) {
        #expect(side.peer.connectionState == .failed)
        guard case .internal(let text) = side.peer.failure else {
            Issue.record("\(String(describing: side.peer.failure))")
            return
        }
        #expect(text.contains(reason))
        #expect(side.channelEvents == ["closed"])
        let states = side.events.compactMap { if case .connectionState(let state) = $0 { state } else { nil } }
        #expect(states.last == .failed && !states.contains(.connected))
    }

    @Test("when SRTP keys cannot be set, at the side that has it; nothing revives it")
    func keys() throws {
        let pair = try pair(refusing: .keys)
        expectFailure(of: pair.alice, because: "no such cipher")
        #expect(pair.bob.peer.failure == nil)
        pair.alice.peer.restartICE(at: pair.now)
        pair.run()
        expectFailure(of: pair.alice, because: "no such cipher")
    }

    @Test("when an offer cannot be made, and none is sent")
    func offer() throws {
        let pair = try pair(refusing: .digest)
        expectFailure(of: pair.alice, because: "fingerprint")
        #expect(pair.alice.peer.localDescription == nil)
        #expect(pair.bob.events.isEmpty)
    }
}
