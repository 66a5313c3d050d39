#if os(Linux) || os(macOS)
    import Logging
    import RTCSignalingService
    import ServiceLifecycle
    import Testing

    @testable import RTCSignaling

    @Suite("A server among the services of a program", .serialized)
    struct SignalingServiceTests {
        private func group(_ service: SignalingService) -> ServiceGroup {
            ServiceGroup(services: [service], gracefulShutdownSignals: [], logger: Logger(label: "test"))
        }

        @Test("A graceful shutdown sends the clients away, and ends", .timeLimit(.minutes(1)))
        func graceful() async throws {
            let server = try await startServer()
            let service = SignalingService(server, draining: .init(over: .milliseconds(200), grace: .milliseconds(200)))
            let group = group(service)
            async let running: Void = group.run()
            let alice = try await RawSocket(server)
            try await alice.signIn("alice")
            await group.triggerGracefulShutdown()
            let closing = try await alice.closing()
            #expect(closing.status == 1001)
            try await running
            #expect(await server.statistics().sockets == 0)
        }

        @Test("A cancelled service stops at once", .timeLimit(.minutes(1)))
        func cancelled() async throws {
            let server = try await startServer()
            let service = SignalingService(server, draining: .init(notice: .seconds(3_600), over: .seconds(3_600)))
            let alice = try await RawSocket(server)
            try await alice.signIn("alice")
            let running = Task { try await service.run() }
            try await Task.sleep(for: .milliseconds(50))
            running.cancel()
            try await running.value
            try await alice.waitUntilClosed()
        }
    }
#endif
