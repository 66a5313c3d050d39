import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import OAuth

@Suite("A request over a connection of its own", .timeLimit(.minutes(1)))
struct HTTPExchangeTests {
    private let request = HTTPExchange.Request(path: "/", headers: [:], body: [], longestResponse: 100)

    @Test("A channel that closes while the request is added to it: an error, not the time limit")
    func closing() throws {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(loop: loop)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 9), promise: nil)
        let response = loop.makePromise(of: HTTPExchange.Response.self)
        let failure = Mutex<HTTPExchange.Failure?>(nil)
        response.futureResult.whenFailure { error in failure.withLock { $0 = error as? HTTPExchange.Failure } }
        channel.close(promise: nil)
        try channel.pipeline.syncOperations.addHandler(HTTPExchange(request, response))
        loop.run()
        #expect(failure.withLock { $0 } == .closed)
        response.fail(HTTPExchange.Failure.timedOut)
    }

    /// A name server that does not answer.
    private final class SilentResolver: Resolver, Sendable {
        private let lookups = Mutex<[EventLoopPromise<[SocketAddress]>]>([])

        var count: Int { lookups.withLock { $0.count } }

        private func lookUp() -> EventLoopFuture<[SocketAddress]> {
            let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: [SocketAddress].self)
            lookups.withLock { $0.append(promise) }
            return promise.futureResult
        }

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { lookUp() }
        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { lookUp() }

        func cancelQueries() {
            for promise in lookups.withLock({ $0 }) { promise.fail(HTTPExchange.Failure.timedOut) }
        }
    }

    @Test("A task that is cancelled while the name is looked up waits no longer")
    func cancelledLookup() async throws {
        let resolver = SilentResolver()
        let server = try HTTPServer("host.example", port: 80, isSecure: false, trustedFile: nil, resolver: resolver)
        let request = request
        // The lookup itself ends with the time limit.
        let sending = Task { try await server.response(to: request, within: .seconds(20)) }
        while resolver.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let beginning = ContinuousClock.now
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(ContinuousClock.now - beginning < .seconds(10))
    }
}
