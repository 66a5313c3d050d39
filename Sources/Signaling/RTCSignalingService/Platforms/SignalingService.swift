#if os(Linux) || os(macOS)
    public import RTCSignaling
    public import ServiceLifecycle

    /// A ``SignalingServer`` as a service of swift-service-lifecycle, beside the other services of a program.
    ///
    /// A graceful shutdown sends the clients away and stops the server, as SIGTERM does with `duet serve`; connected calls continue. When
    /// its task is cancelled, it stops at once.
    public struct SignalingService: Service {
        /// How clients are sent away.
        public struct Draining: Hashable, Sendable {
            /// The time in which a load balancer finds out by `/readyz`, and everything still works.
            public var notice: Duration
            /// The time over which clients are sent away, one after the other.
            public var time: Duration
            /// How long clients have at the end to receive what was sent to them.
            public var grace: Duration
            /// What clients are told, in words for developers.
            public var message: String?

            public init(
                notice: Duration = .zero, over time: Duration = .zero, grace: Duration = .seconds(2),
                message: String? = nil
            ) {
                self.notice = notice
                self.time = time
                self.grace = grace
                self.message = message
            }
        }

        public let server: SignalingServer
        private let draining: Draining

        /// Creates a service.
        ///
        /// - Parameter server: A server that was started: so a program knows its port, or why it cannot start, before it runs services.
        public init(_ server: SignalingServer, draining: Draining = Draining()) {
            self.server = server
            self.draining = draining
        }

        /// Returns when the server has stopped, after a graceful shutdown or a cancellation.
        public func run() async throws {
            do {
                try await gracefulShutdown()
            } catch {
                await server.stop(grace: .zero, message: draining.message)
                return
            }
            // Without time for it, stopping alone says the same, and tells nobody that others leave.
            if draining.notice > .zero || draining.time > .zero {
                await server.drain(notice: draining.notice, over: draining.time, message: draining.message)
            }
            await server.stop(grace: draining.grace, message: draining.message)
        }
    }
#endif
