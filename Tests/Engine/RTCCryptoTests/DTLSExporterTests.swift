import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("Keys for SRTP")
struct DTLSExporterTests {
    @Test("Both sides export the same, crosswise, for every profile and version", arguments: SRTPProfile.allCases)
    func profiles(_ profile: SRTPProfile) throws {
        for version in [DTLSVersion.v12, .v13] {
            let pair = try DatagramPair(
                versions: (version...version, version...version), srtp: ([profile], SRTPProfile.allCases))
            #expect(pair.client.transport.srtpKeyingMaterial == nil)
            #expect(pair.connectAndRun())
            let client = try #require(pair.client.transport.srtpKeyingMaterial)
            let server = try #require(pair.server.transport.srtpKeyingMaterial)
            #expect(client.profile == profile)
            #expect(client.mirrors(server))
            #expect(client.localKey != client.remoteKey)
            #expect(client.localKey.count == profile.keyLength && client.localSalt.count == profile.saltLength)
        }
    }

    @Test("No profile in common: connected, without keys for SRTP")
    func none() throws {
        let pair = try DatagramPair(srtp: ([.aeadAES128GCM], [.aes128CMHMACSHA1_80]))
        #expect(pair.connectAndRun())
        #expect(pair.client.transport.srtpProfile == nil)
        #expect(pair.client.transport.srtpKeyingMaterial == nil)
    }

    @Test("The extension is left out when no profile is configured")
    func empty() throws {
        let pair = try DatagramPair(srtp: ([], []))
        #expect(pair.connectAndRun())
        #expect(pair.server.transport.srtpProfile == nil)
    }

    @Test("The cipher suite is authenticated encryption with AES-128-GCM")
    func suite() throws {
        let modern = try DatagramPair()
        #expect(modern.connectAndRun())
        #expect(modern.client.transport.parameters?.cipherSuite == "TLS_AES_128_GCM_SHA256")
        let legacy = try DatagramPair(versions: (.v12 ... .v12, .v12 ... .v12))
        #expect(legacy.connectAndRun())
        #expect(legacy.client.transport.parameters?.cipherSuite == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
    }
}
