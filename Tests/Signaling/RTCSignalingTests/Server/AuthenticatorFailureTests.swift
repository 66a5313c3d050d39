import Logging
import NIOCore
import Synchronization
import Testing

@testable import RTCSignaling

@Suite("Failures of an authenticator", .serialized)
struct AuthenticatorFailureTests {
    private struct Leak: Error, CustomStringConvertible {
        var description: String
    }

    private struct Failing: Authenticator {
        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            if hello.user == "busy" { throw AuthenticationUnavailable(retryAfter: .seconds(1), "the issuer is down") }
            throw Leak(description: "of \(hello.token ?? "")")
        }
    }

    /// Keeps the lines of level info and above, or all.
    private struct Lines: LogHandler {
        let kept: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            kept("\(event.level) \(event.message) \(event.metadata ?? [:])")
        }
    }

    @Test(
        "Clients that make it fail write one line a minute for each cause, without what they sent",
        arguments: [false, true])
    func lines(isDebugging: Bool) async throws {
        let lines = Mutex<[String]>([])
        try await withServer {
            $0.authenticator = Failing()
            $0.logger = Logger(label: "test") { _ in Lines(kept: { line in lines.withLock { $0.append(line) } }) }
            $0.logger.logLevel = isDebugging ? .debug : .info
        } _: { server in
            for number in 0..<20 {
                let socket = try await RawSocket(server)
                try await socket.open()
                let user = number % 2 == 0 ? "busy" : "alice"
                socket.sendText(#"{"type":"hello","version":1,"user":"\#(user)","token":"secret"}"#)
                #expect(try await socket.closing().error == .internal)
                await socket.close()
            }
        }
        let errors = lines.withLock { $0.filter { $0.hasPrefix("error ") } }
        #expect(errors.count == 2)
        #expect(errors.contains { $0.contains("the issuer is down") })
        #expect(errors.contains { $0.contains("Leak") })
        #expect(!errors.contains { $0.contains("secret") })
        #expect(lines.withLock { $0.contains { $0.hasPrefix("debug ") && $0.contains("secret") } } == isDebugging)
    }
}
