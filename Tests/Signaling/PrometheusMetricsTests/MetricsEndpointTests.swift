import CoreMetrics
import NIOCore
import NIOPosix
import Testing

@testable import PrometheusMetrics

@Suite("Metrics over HTTP", .serialized)
struct MetricsEndpointTests {
    private final class Collector: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = ByteBuffer

        private var bytes: [UInt8] = []
        private let promise: EventLoopPromise<String>

        init(_ promise: EventLoopPromise<String>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
        }

        func channelInactive(context: ChannelHandlerContext) {
            promise.succeed(String(decoding: bytes, as: UTF8.self))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// Sends bytes, and returns everything up to the end of the connection.
    private func send(_ text: String, to endpoint: MetricsEndpoint) async throws -> String {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { $0.pipeline.addHandler(Collector(promise)) }
            .connect(host: "127.0.0.1", port: endpoint.port).get()
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        return try await promise.futureResult.get()
    }

    private func with(
        _ limits: MetricsEndpoint.Limits = .init(), _ body: (MetricsEndpoint) async throws -> Void
    ) async throws {
        let factory = PrometheusMetricsFactory()
        Counter(label: "calls", factory: factory).increment(by: 5)
        let endpoint = try await MetricsEndpoint.start(factory, port: 0, limits: limits)
        do { try await body(endpoint) } catch {
            await endpoint.stop()
            throw error
        }
        await endpoint.stop()
    }

    @Test("Metrics of the program and of the process, in both formats, and nothing else")
    func requests() async throws {
        try await with { endpoint in
            let plain = try await send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", to: endpoint)
            #expect(plain.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(plain.contains("text/plain; version=0.0.4"))
            #expect(plain.contains("\ncalls_total 5\n"))
            #expect(plain.contains("\nprocess_cpu_seconds_total "))
            #if os(Linux)
                #expect(plain.contains("\nprocess_resident_memory_bytes "))
                #expect(plain.contains("\nprocess_open_fds "))
            #endif
            let open = try await send(
                "GET /metrics?x HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n", to: endpoint)
            #expect(open.hasSuffix("\n# EOF\n"))
            let head = try await send("HEAD /metrics HTTP/1.1\r\n\r\n", to: endpoint)
            #expect(head.hasSuffix("\r\n\r\n"))
            #expect(try await send("GET / HTTP/1.1\r\n\r\n", to: endpoint).hasPrefix("HTTP/1.1 404 "))
            #expect(try await send("DELETE /metrics HTTP/1.1\r\n\r\n", to: endpoint).hasPrefix("HTTP/1.1 405 "))
        }
    }

    @Test("One request a connection: pipelined ones, bodies and endless heads get nothing more")
    func hostile() async throws {
        try await with { endpoint in
            let request = "GET /metrics HTTP/1.1\r\n\r\n"
            let twice = try await send(request + request + request, to: endpoint)
            #expect(twice.components(of: "HTTP/1.1 200") == 1)
            #expect(try await send("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", to: endpoint).isEmpty)
            let long = String(repeating: "x", count: 10_000)
            #expect(!(try await send("GET /metrics HTTP/1.1\r\nA: \(long)\r\n\r\n", to: endpoint)).contains(" 200 "))
            #expect(!(try await send("\u{0}\u{1}\r\n\r\n\r\n", to: endpoint)).contains(" 200 "))
        }
    }

    @Test("A connection ends after its time", .timeLimit(.minutes(1)))
    func time() async throws {
        var limits = MetricsEndpoint.Limits()
        limits.time = .milliseconds(300)
        try await with(limits) { endpoint in
            // A half request, which is cut off.
            let half = try await send("GET /metr", to: endpoint)
            #expect(half.isEmpty)
            #expect(try await send("GET /metrics HTTP/1.1\r\n\r\n", to: endpoint).contains(" 200 "))
        }
    }

    @Test("Who connects and says nothing is displaced, and shuts nobody out", .timeLimit(.minutes(1)))
    func silent() async throws {
        var limits = MetricsEndpoint.Limits()
        // The last silent one ends with its time.
        (limits.time, limits.connections) = (.seconds(3), 2)
        try await with(limits) { endpoint in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<40 { group.addTask { try await send("GET /metr", to: endpoint) } }
                // All but the last two are closed.
                for _ in 0..<38 { #expect(try await group.next() == "") }
                group.addTask { try await send("GET /metrics HTTP/1.1\r\n\r\n", to: endpoint) }
                let next = [try await group.next() ?? "", try await group.next() ?? ""]
                #expect(next.contains("") && next.contains { $0.contains(" 200 ") })
            }
        }
    }

    @Test("Who asks all the time is told the same for a while")
    func age() async throws {
        let factory = PrometheusMetricsFactory()
        let counter = Counter(label: "calls", factory: factory)
        var limits = MetricsEndpoint.Limits()
        limits.age = .seconds(600)
        let endpoint = try await MetricsEndpoint.start(factory, port: 0, limits: limits)
        let request = "GET /metrics HTTP/1.1\r\n\r\n"
        counter.increment(by: 1)
        #expect(try await send(request, to: endpoint).contains("\ncalls_total 1\n"))
        counter.increment(by: 1)
        #expect(try await send(request, to: endpoint).contains("\ncalls_total 1\n"))
        let other = try await send(
            "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n", to: endpoint)
        #expect(other.contains("\ncalls_total 2\n"))
        await endpoint.stop()
    }

    @Test("A port in use is an error")
    func portInUse() async throws {
        try await with { endpoint in
            await #expect(throws: MetricsEndpoint.StartError.self) {
                _ = try await MetricsEndpoint.start(PrometheusMetricsFactory(), port: endpoint.port)
            }
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        var (rest, count) = (self[...], 0)
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
