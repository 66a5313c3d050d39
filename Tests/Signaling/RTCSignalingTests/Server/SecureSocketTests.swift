import Foundation
import Testing

@testable import RTCSignaling

@Suite("Signalling over TLS")
struct SecureSocketTests {
    @Test("A client that trusts the certificate signs in; one that does not says so")
    func trust() async throws {
        let tls = try SignalingServer.TLS.forTests()
        let (certificate, key) = (tls.certificateFile, tls.privateKeyFile)
        try await withServer {
            $0.tls = tls
        } _: { server in
            #expect(server.url == "wss://127.0.0.1:\(server.port)/signal")
            for host in ["localhost", "127.0.0.1"] {
                let url = try #require(SignalingURL("wss://\(host):\(server.port)"))
                var configuration = SignalingClient.Configuration(url: url, user: "alice")
                configuration.trust = .file(certificate)
                let client = SignalingClient(configuration)
                #expect(try await client.connect().user == "alice")
                await client.disconnect()

                let stranger = SignalingClient(.init(url: url, user: "alice"))
                await #expect {
                    try await stranger.connect()
                } throws: { error in
                    (error as? SignalingClientError)?.code == .untrusted
                }
            }
            // Without TLS there is nobody at this port.
            let plain = try #require(SignalingURL("ws://127.0.0.1:\(server.port)"))
            await #expect(throws: SignalingClientError.self) {
                try await SignalingClient(.init(url: plain, user: "alice")).connect()
            }
        }
        await #expect {
            try await startServer { $0.tls = .init(certificateFile: key, privateKeyFile: key) }
        } throws: { error in
            (error as? SignalingServerError)?.code == .certificate
        }
    }
}

extension SignalingServer.TLS {
    /// Files in a folder of their own, which the system clears away.
    static func forTests() throws -> SignalingServer.TLS {
        let folder = FileManager.default.temporaryDirectory.appending(path: "duet-\(SignalingDeviceID.random())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        try Self.certificate.write(toFile: certificate, atomically: true, encoding: .utf8)
        try Self.key.write(toFile: key, atomically: true, encoding: .utf8)
        return SignalingServer.TLS(certificateFile: certificate, privateKeyFile: key)
    }

    /// For localhost and 127.0.0.1, signed by itself, for a hundred years. Its key is no secret, as one can see.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUGgAwIBAgIUOReoeA0S9JZLHTvAp5+OECLasTEwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAzNTI1M1oYDzIxMjYxMDI5
        MDM1MjUzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAARO+MV7awoOPg3ZJRQJHkOSx65bWIG4/D5bDiJhhpxzO74eSr0+iul1
        8HbTwoFNmna/15MEyGWIYvKEsUg7iB5go28wbTAdBgNVHQ4EFgQUvzMg7F4gnE39
        nnyFUQm0YtNvq3IwHwYDVR0jBBgwFoAUvzMg7F4gnE39nnyFUQm0YtNvq3IwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSQAwRgIhAKc6Plds7J4jtSK/jAkKOBA4HOIFF0maxm/voG4Hs8c/AiEA
        qjq+baYtMxYP68CuAKNFb1mSFKH/bjp82Fe2RgJsbZA=
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgT4CoL7BFlhoNZ5Ls
        itJcnauZGVzWPoOlSRhLJsv0gWChRANCAARO+MV7awoOPg3ZJRQJHkOSx65bWIG4
        /D5bDiJhhpxzO74eSr0+iul18HbTwoFNmna/15MEyGWIYvKEsUg7iB5g
        -----END PRIVATE KEY-----

        """
}
