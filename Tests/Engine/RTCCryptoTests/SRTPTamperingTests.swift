import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("Forged SRTP packets")
struct SRTPTamperingTests {
    private static let rtp =
        hex("b0e00001 01020304 11223344 bede0001 10aa0000") + [UInt8](repeating: 7, count: 21) + [0, 2]
    private static let rtcp = hex("81c90007 11223344") + [UInt8](repeating: 9, count: 24)

    @Test(
        "One changed bit anywhere in a packet, of SRTP or SRTCP, and it is dropped", arguments: SRTPProfile.allCases,
        [false, true])
    func changed(profile: SRTPProfile, isControl: Bool) throws {
        let packet = isControl ? Self.rtcp : Self.rtp
        let sender = try sealingEnd(profile, anyKey(profile))
        let receiver = try openingEnd(profile, anyKey(profile))
        func open(_ bytes: [UInt8]) -> [UInt8]? { receiver.run(isControl ? .unprotectRTCP : .unprotectRTP, bytes) }
        let sealed = try #require(sender.run(isControl ? .protectRTCP : .protectRTP, packet))
        for place in sealed.indices {
            for bit in 0..<8 {
                var forged = sealed
                forged[place] ^= 1 << UInt8(bit)
                #expect(open(forged) == nil, "byte \(place), bit \(bit)")
            }
        }
        #expect(receiver.counters.accepted == 0)
        #expect(receiver.counters.dropped == UInt64(sealed.count * 8))
        #expect(open(sealed) == packet)
    }

    @Test("A packet that is cut off, at any length, is dropped", arguments: SRTPProfile.allCases)
    func truncated(profile: SRTPProfile) throws {
        let sender = try sealingEnd(profile, anyKey(profile))
        let receiver = try openingEnd(profile, anyKey(profile))
        let sealedRTP = try #require(sender.run(.protectRTP, Self.rtp))
        let sealedRTCP = try #require(sender.run(.protectRTCP, Self.rtcp))
        for length in 0..<sealedRTP.count {
            #expect(receiver.run(.unprotectRTP, Array(sealedRTP[..<length])) == nil)
        }
        for length in 0..<sealedRTCP.count {
            #expect(receiver.run(.unprotectRTCP, Array(sealedRTCP[..<length])) == nil)
        }
        #expect(receiver.counters.malformed > 0)
        #expect(receiver.counters.dropped == UInt64(sealedRTP.count + sealedRTCP.count))
    }

    @Test("Other keys open nothing", arguments: SRTPProfile.allCases)
    func otherKeys(profile: SRTPProfile) throws {
        let sender = try sealingEnd(profile, anyKey(profile))
        let receiver = try openingEnd(profile, anyKey(profile).map { $0 ^ 1 })
        let rtp = try #require(sender.run(.protectRTP, Self.rtp))
        let rtcp = try #require(sender.run(.protectRTCP, Self.rtcp))
        #expect(receiver.run(.unprotectRTP, rtp) == nil)
        #expect(receiver.run(.unprotectRTCP, rtcp) == nil)
        // Nor does a session open what it sent itself: the two directions have keys of their own.
        #expect(sender.run(.unprotectRTP, rtp) == nil)
        #expect(sender.run(.unprotectRTCP, rtcp) == nil)
        #expect(receiver.counters.authenticationFailed == 2)
        #expect(sender.counters.authenticationFailed == 2)
    }

    @Test("An SRTCP packet that is authenticated only is taken", arguments: SRTPProfile.allCases)
    func notEncrypted(profile: SRTPProfile) throws {
        let key = anyKey(profile)
        let cipher = try BoringCrypto().makeSRTPCipher(
            profile: profile, masterKey: Array(key[..<profile.keyLength]), masterSalt: Array(key[profile.keyLength...]))
        let receiver = try openingEnd(profile, key)
        var sealed = Self.rtcp + [UInt8](repeating: 0, count: profile.rtcpOverhead)
        let size = sealed.withUnsafeMutableBytes {
            cipher.sealRTCP($0, count: Self.rtcp.count, index: 77, isEncrypted: false)
        }
        #expect(size == sealed.count)
        #expect(sealed.starts(with: Self.rtcp))
        for place in sealed.indices {
            var forged = sealed
            forged[place] ^= 0x80
            #expect(receiver.run(.unprotectRTCP, forged) == nil)
        }
        #expect(receiver.run(.unprotectRTCP, sealed) == Self.rtcp)
        #expect(receiver.run(.unprotectRTCP, sealed) == nil)
        #expect(receiver.counters.replayed == 1)
    }

    @Test("Keys of the wrong length are refused", arguments: SRTPProfile.allCases)
    func wrongLengths(profile: SRTPProfile) {
        let key = [UInt8](repeating: 1, count: profile.keyLength)
        let salt = [UInt8](repeating: 1, count: profile.saltLength)
        #expect(throws: CryptoError.self) {
            _ = try BoringCrypto().makeSRTPCipher(profile: profile, masterKey: key + [1], masterSalt: salt)
        }
        #expect(throws: CryptoError.self) {
            _ = try BoringCrypto().makeSRTPCipher(profile: profile, masterKey: key, masterSalt: [])
        }
    }

    @Test("A forged packet leaves no error behind that DTLS would take for its own")
    func errorQueue() throws {
        let receiver = try openingEnd(.aeadAES128GCM, anyKey(.aeadAES128GCM))
        let pair = try DatagramPair()
        #expect(pair.connectAndRun())
        #expect(receiver.run(.unprotectRTP, Self.rtp + [UInt8](repeating: 0, count: 16)) == nil)
        // The library looks at its queue when a read yields nothing.
        pair.deliver([23, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 9, 0, 1, 0], to: .client)
        #expect(pair.client.transport.state == .connected)
    }

    @Test("The keys of a DTLS handshake carry SRTP both ways", arguments: SRTPProfile.allCases)
    func fromHandshake(profile: SRTPProfile) throws {
        let pair = try DatagramPair(srtp: ([profile], SRTPProfile.allCases))
        #expect(pair.connectAndRun())
        let client = try SRTPEnd(#require(pair.client.transport.srtpKeyingMaterial))
        let server = try SRTPEnd(#require(pair.server.transport.srtpKeyingMaterial))
        let there = try #require(client.run(.protectRTP, Self.rtp))
        let back = try #require(server.run(.protectRTCP, Self.rtcp))
        #expect(server.run(.unprotectRTP, there) == Self.rtp)
        #expect(client.run(.unprotectRTCP, back) == Self.rtcp)
    }
}
