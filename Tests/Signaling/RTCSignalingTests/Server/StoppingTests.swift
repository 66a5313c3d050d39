import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RTCSignaling

@Suite("A server that is stopped while an app's code runs", .timeLimit(.minutes(1)))
struct StoppingTests {
    /// How many calls run, and how many were not cancelled.
    private final class Work: Sendable {
        private let state = Mutex((running: 0, begun: 0, finished: 0))

        var running: Int { state.withLock { $0.running } }
        var begun: Int { state.withLock { $0.begun } }
        var finished: Int { state.withLock { $0.finished } }

        func take(_ time: Duration) async {
            state.withLock { ($0.running, $0.begun) = ($0.running + 1, $0.begun + 1) }
            let isOver = (try? await Task.sleep(for: time)) != nil
            state.withLock { ($0.running, $0.finished) = ($0.running - 1, $0.finished + (isOver ? 1 : 0)) }
        }
    }

    private struct SlowAuthenticator: Authenticator {
        let work: Work

        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            await work.take(.seconds(3_600))
            throw AuthenticationFailure(.unauthorized, "")
        }
    }

    private struct Believing: Authenticator {
        func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
            AuthenticatedUser(user: try #require(hello.user), isProven: true)
        }
    }

    private struct SlowSender: PushSender {
        let work: Work
        let time: Duration

        func send(_ request: PushRequest) async -> PushOutcome {
            await work.take(time)
            return .delivered
        }
    }

    @Test("No call of the authenticator is left")
    func authenticator() async throws {
        let work = Work()
        let server = try await startServer { $0.authenticator = SlowAuthenticator(work: work) }
        let socket = try await RawSocket(server)
        try await socket.open()
        socket.sendText(#"{"type":"hello","version":1,"user":"alice"}"#)
        try await within { while work.begun == 0 { try await Task.sleep(for: .milliseconds(1)) } }
        let beginning = ContinuousClock.now
        await server.stop(grace: .milliseconds(100))
        #expect(work.running == 0 && work.finished == 0)
        #expect(ContinuousClock.now - beginning < .seconds(20))
    }

    @Test("A push that is being sent arrives in time, or is not sent any more", arguments: [true, false])
    func push(isInTime: Bool) async throws {
        let work = Work()
        let server = try await startServer {
            $0.authenticator = Believing()
            $0.pushes = PushService(
                webhook: SlowSender(work: work, time: isInTime ? .milliseconds(300) : .seconds(3_600)))
        }
        let alice = try await TestClient(server, "alice/a")
        _ = try alice.client.invite("bob", description: .sdp(type: .offer, sdp: "offer"))
        try await within { while work.begun == 0 { try await Task.sleep(for: .milliseconds(1)) } }
        let beginning = ContinuousClock.now
        await server.stop(grace: isInTime ? .seconds(20) : .milliseconds(100))
        #expect(work.running == 0 && work.finished == (isInTime ? 1 : 0))
        #expect(ContinuousClock.now - beginning < .seconds(15))
        await alice.client.disconnect()
    }

    @Test("A server that is stopped in a cancelled task waits for a push as well")
    func pushInCancelledTask() async throws {
        let work = Work()
        let server = try await startServer {
            $0.authenticator = Believing()
            $0.pushes = PushService(webhook: SlowSender(work: work, time: .milliseconds(300)))
        }
        let alice = try await TestClient(server, "alice/a")
        _ = try alice.client.invite("bob", description: .sdp(type: .offer, sdp: "offer"))
        try await within { while work.begun == 0 { try await Task.sleep(for: .milliseconds(1)) } }
        let stopping = Task { await server.stop(grace: .seconds(20)) }
        stopping.cancel()
        await stopping.value
        #expect(work.running == 0 && work.finished == 1)
        await alice.client.disconnect()
    }

    @Test("What ends later reaches no event loop")
    func stubborn() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let tasks = ServerTasks(on: group.next())
        let state = Mutex((isOpen: false, isOver: false, isHandled: false, isBegun: false))
        tasks.run(for: .client) {
            while !state.withLock({ $0.isOpen }) {
                await Task.detached { try? await Task.sleep(for: .milliseconds(1)) }.value
            }
            state.withLock { $0.isOver = true }
        } then: { _ in
            state.withLock { $0.isHandled = true }
        }
        #expect(tasks.count == 1)
        await tasks.end(within: .zero) {}
        #expect(tasks.enter { _ in 1 } == nil)
        tasks.run(for: .push) {
            state.withLock { $0.isBegun = true }
        } then: { _ in
        }
        state.withLock { $0.isOpen = true }
        try await within { while tasks.count > 0 { try await Task.sleep(for: .milliseconds(1)) } }
        try await group.shutdownGracefully()
        #expect(state.withLock { $0.isOver && !$0.isHandled && !$0.isBegun })
    }
}
