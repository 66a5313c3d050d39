import PrometheusMetrics
import Testing

@testable import RTCSignaling

@Suite("A server's metrics and traces", .serialized)
struct ServerMetricsTests {
    /// Waits until the metrics have a line, which the next sweep writes.
    private func wait(for line: String, in factory: PrometheusMetricsFactory) async throws {
        for _ in 0..<300 {
            if MetricText.prometheus.text(of: factory.snapshot).contains("\(line)\n") { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("no line \(line) in \(MetricText.prometheus.text(of: factory.snapshot))")
    }

    private func value(_ name: String, in factory: PrometheusMetricsFactory) -> Double? {
        let lines = MetricText.prometheus.text(of: factory.snapshot).split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test("A call is seen while it rings, while it runs, and when it is over")
    func call() async throws {
        let factory = PrometheusMetricsFactory()
        try await withServer {
            $0.metrics = factory
            $0.limits.pingInterval = .milliseconds(400)
        } _: { server in
            try await wait(for: "duet_signaling_sessions 0", in: factory)
            let alice = try await TestClient(server, "alice/a")
            let bob = try await TestClient(server, "bob/b")
            try await wait(for: "duet_signaling_users 2", in: factory)
            try await wait(for: "duet_signaling_sign_ins_total 2", in: factory)
            let call = try alice.client.invite("bob", media: [.audio], description: .sdp(type: .offer, sdp: "offer"))
            #expect(try await bob.nextType() == "invite")
            try await wait(for: "duet_signaling_calls_ringing 1", in: factory)
            try bob.client.answer(call, description: .data([1]))
            #expect(try await alice.nextType() == "answer")
            try await wait(for: "duet_signaling_calls_running 1", in: factory)
            try await wait(for: "duet_signaling_answers_total 1", in: factory)
            try alice.client.hangUp(call)
            #expect(try await bob.nextType() == "hangup")
            try await wait(for: "duet_signaling_calls_running 0", in: factory)
            #expect((value("duet_signaling_message_seconds_count", in: factory) ?? 0) >= 5)
            // From a message's arrival, not from the server's start.
            #expect((value("duet_signaling_message_seconds_sum", in: factory) ?? 100) < 20)
            #expect((value("duet_signaling_event_loop_delay_seconds_count", in: factory) ?? 0) > 0)
            await alice.client.disconnect()
            await bob.client.disconnect()
            try await wait(for: "duet_signaling_sockets 0", in: factory)
        }
    }

    @Test("Refusals, failures and drains are counted by their reason")
    func reasons() async throws {
        let factory = PrometheusMetricsFactory()
        let authenticator = try TokenAuthenticator(parsing: "alice 0123456789abcdef")
        try await withServer {
            $0.metrics = factory
            $0.limits.pingInterval = .milliseconds(400)
            $0.limits.sockets = 2
            $0.authenticator = authenticator
        } _: { server in
            let first = try await RawSocket(server)
            try await first.open()
            first.sendText(#"{"type":"hello","version":1,"user":"alice","device":"x","token":"wrong"}"#)
            #expect(try await first.closing().error == .unauthorized)
            try await wait(for: #"duet_signaling_failures_total{code="unauthorized"} 1"#, in: factory)
            await first.close()
            try await wait(for: "duet_signaling_sockets 0", in: factory)

            let host = try await RawSocket(server)
            host.send("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            _ = try await host.readAll()
            try await wait(for: #"duet_signaling_refusals_total{reason="host"} 1"#, in: factory)
            let origin = try await RawSocket(server)
            origin.send(
                "GET /signal HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n")
            _ = try await origin.readAll()
            try await wait(for: #"duet_signaling_refusals_total{reason="origin"} 1"#, in: factory)

            try await wait(for: "duet_signaling_sockets 0", in: factory)
            let (one, two) = (try await RawSocket(server), try await RawSocket(server))
            let three = try await RawSocket(server)
            try await three.waitUntilClosed()
            try await wait(for: #"duet_signaling_refusals_total{reason="full"} 1"#, in: factory)
            try await wait(for: "duet_signaling_sockets_refused_total 1", in: factory)
            await one.close()
            await two.close()
            await server.drain()
            await server.drain()
            try await wait(for: "duet_signaling_drains_total 1", in: factory)
        }
    }

    @Test("Sessions that come back and sessions that cannot are told apart")
    func resumptions() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.cut()
        alice.comeBack()
        #expect(world.exchange.statistics.resumptions == 1)
        #expect(world.exchange.statistics.resumptionsFailed == 0)
        alice.cut()
        world.advance(.seconds(61))
        #expect(world.exchange.statistics.users == 0)
        alice.comeBack()
        #expect(world.exchange.statistics.resumptions == 1)
        #expect(world.exchange.statistics.resumptionsFailed == 1)
        #expect(world.exchange.statistics.users == 1)
    }

    @Test("Both ways to fetch the figures have the same ones, with those of pushes if there are any")
    func sameFigures() {
        var statistics = ServerStatistics()
        (statistics.sockets, statistics.failures) = (2, ["internal": 4])
        #expect(!statistics.text(.prometheus).contains("push"))
        var pushes = PushStatistics()
        (pushes.tokens, pushes.attempts) = (3, 5)
        statistics.pushes = pushes
        var descriptions = PrometheusMetricsFactory.Descriptions()
        descriptions.help = ServerMetrics.descriptions
        let factory = PrometheusMetricsFactory(descriptions)
        ServerMetrics(factory).sample(statistics)
        let text = statistics.text(.prometheus).split(separator: "\n")
        let fetched = Set(MetricText.prometheus.text(of: factory.snapshot).split(separator: "\n"))
        #expect(text.filter { !fetched.contains($0) }.isEmpty)
        for line in [
            "duet_signaling_sockets 2", #"duet_signaling_failures_total{code="internal"} 4"#,
            "duet_signaling_push_tokens 3", "duet_signaling_push_attempts_total 5",
            "# TYPE duet_signaling_pushes_waiting gauge",
            "# HELP duet_signaling_pushes_limited_total Calls that woke nobody because of a limit",
        ] { #expect(text.contains(line[...]), "\(line)") }
        #expect(statistics.text(.openMetrics).hasSuffix("\n# EOF\n"))
    }

    @Test("All metrics follow Prometheus's conventions, and each has one name")
    func names() {
        var statistics = ServerStatistics()
        statistics.pushes = PushStatistics()
        let figures = statistics.figures
        #expect(Set(figures.map(\.name)).count == figures.count)
        #expect(ServerMetrics.descriptions.count == figures.count + 2, "and two timers")
        #expect(figures.allSatisfy { ($0.kind == .counter) == $0.name.hasSuffix("_total") })
        for (name, help) in ServerMetrics.descriptions {
            #expect(name.hasPrefix("duet_signaling_"))
            #expect(name.allSatisfy { $0.isLowercase || $0 == "_" })
            #expect(!help.isEmpty)
        }
    }
}
