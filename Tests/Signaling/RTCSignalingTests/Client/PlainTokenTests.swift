import Synchronization
import Testing

@testable import RTCSignaling

@Suite("A credential and the way to the server")
struct PlainTokenTests {
    @Test("It is not even fetched for a server on another machine that is not encrypted")
    func refused() async throws {
        let asked = Mutex(0)
        for address in ["ws://192.0.2.1", "http://calls.example.org", "ws://127.0.0.1.example.org"] {
            var configuration = SignalingClient.Configuration(url: try #require(SignalingURL(address)), user: nil)
            configuration.token = {
                asked.withLock { $0 += 1 }
                return "token"
            }
            await #expect {
                try await SignalingClient(configuration).connect()
            } throws: { error in
                (error as? SignalingClientError)?.code == .url && "\(error)".contains("wss://")
            }
        }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("It goes to this machine, by TLS, and where that was allowed; without one any server will do")
    func allowed() throws {
        func mayShow(_ address: String, token: String?, allowsPlainToken: Bool = false) throws -> Bool {
            var configuration = SignalingClient.Configuration(
                url: try #require(SignalingURL(address)), user: nil, token: token)
            configuration.allowsPlainToken = allowsPlainToken
            return configuration.mayShowToken
        }
        for address in [
            "ws://127.0.0.1:8080", "ws://127.9.9.9", "ws://[::1]", "http://LocalHost:1", "wss://calls.example.org",
        ] {
            #expect(try mayShow(address, token: "token"), "\(address)")
        }
        #expect(try !mayShow("ws://calls.example.org", token: "token"))
        #expect(try mayShow("ws://calls.example.org", token: nil))
        #expect(try mayShow("ws://calls.example.org", token: "token", allowsPlainToken: true))
    }
}
