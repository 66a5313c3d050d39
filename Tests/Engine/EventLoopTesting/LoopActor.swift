package import NIOCore
import NIOPosix

/// Runs a test on an event loop, as the engine runs.
package actor LoopActor {
    package nonisolated let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    package init() {}

    package func run(_ body: @Sendable (isolated LoopActor, any EventLoop) async throws -> Void) async throws {
        try await body(self, eventLoop)
    }
}

/// Runs `body` on an event loop of the process.
package func onEventLoop(_ body: @Sendable (isolated LoopActor, any EventLoop) async throws -> Void) async throws {
    try await LoopActor().run(body)
}

/// Waits until `condition` holds, 5 s at most if nothing else is said. The event loop goes on meanwhile.
package func wait(
    isolation: isolated LoopActor, atMost limit: TimeAmount = .seconds(5), _ condition: () -> Bool
) async throws {
    let deadline = NIODeadline.now() + limit
    while !condition(), NIODeadline.now() < deadline { try await Task.sleep(for: .milliseconds(1)) }
}
