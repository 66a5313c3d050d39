import Hummingbird
import HummingbirdCore
import RTCSignaling
import RTCSignalingService

/// An application with routes of its own, and calls at the same port.
@main
struct CallsApplication {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
            return print("usage: server PORT")
        }
        var configuration = SignalingServer.Configuration()
        configuration.listens = false
        let signaling = try await SignalingServer.start(configuration)

        let router = Router()
        router.get("/") { _, _ in "An application with calls.\n" }
        router.get("/readyz") { _, _ -> HTTPResponse.Status in
            await signaling.isReady ? .ok : .serviceUnavailable
        }
        // What the signalling server has refused.
        router.get("/signal") { _, _ -> HTTPResponse.Status in .forbidden }

        // Services end in the reverse order, the HTTP server first.
        let application = Application(
            router: router,
            server: HTTPServerBuilder { SignalingChannel(signaling: signaling, responder: $0) },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            services: [SignalingService(signaling)],
            eventLoopGroupProvider: .shared(signaling.eventLoopGroup))
        try await application.runService()
    }
}
