import Foundation
import Logging
import NIOHPACK
import NIOHTTP1
import OAuth
import RTCSignaling
import Synchronization
import Testing

@testable import RTCSignalingPush

/// Apple's push service is trusted with names and tokens, and with nothing else: whatever it says, the server goes on.
@Suite("A push service that says anything")
struct HostilePushServiceTests {
    private func request() throws -> PushRequest {
        let token = try #require(PushToken(bytes: [UInt8](repeating: 1, count: 32)))
        return PushRequest(
            id: 1, content: .device(DevicePush(token: token, call: .sample(), timeLeft: .seconds(30))))
    }

    private func withSender(
        _ lines: HTTP2Script.Lines, timeout: Duration = .seconds(20),
        _ body: (APNSSender, HTTP2Script) async throws -> Void
    ) async throws {
        let script = try await HTTP2Script.start(lines)
        let authority = FileManager.default.temporaryDirectory.appendingPathComponent(
            "duet-apns-\(UUID().uuidString).pem")
        try Data(TestKeys.certificate.utf8).write(to: authority)
        var configuration = APNSSender.Configuration(
            key: TestKeys.provider, keyID: APNSStandIn.keyID, teamID: APNSStandIn.team, bundle: "org.example.Calls")
        configuration.server = "https://localhost:\(script.port)"
        configuration.trustedFile = authority.path
        configuration.timeout = timeout
        configuration.logger.logLevel = .critical
        let sender = try await APNSSender(configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(sender, script)) } catch { result = .failure(error) }
        await sender.close()
        await script.stop()
        try? FileManager.default.removeItem(at: authority)
        try result.get()
    }

    private func hasFailed(_ outcome: PushOutcome) -> Bool {
        if case .failed = outcome { true } else { false }
    }

    @Test(
        "A status that is none",
        arguments: ["", "-5", "+200", " 200", "20", "2000", "099", "99999999999999999999", "abc", "²00"])
    func status(text: String) async throws {
        var lines = HTTP2Script.Lines()
        lines.answer = { HTTP2Script.head($0, [(":status", text)], isLast: true) }
        try await withSender(lines) { sender, _ in
            let outcome = await sender.send(try request())
            #expect(hasFailed(outcome))
        }
        #expect(HTTP2ExchangeHandler.status(of: [":status": text]) == nil)
    }

    @Test("A head without a status, or with nothing but an informational one")
    func noStatus() async throws {
        for fields in [[("apns-id", "1")], [(":status", "103")], []] {
            var lines = HTTP2Script.Lines()
            lines.answer = { HTTP2Script.head($0, fields, isLast: true) }
            try await withSender(lines) { sender, _ in
                let outcome = await sender.send(try request())
                #expect(hasFailed(outcome))
            }
        }
    }

    @Test("Endless informational responses, and endless headers: the connection ends long before the time is over")
    func endless() async throws {
        let answers: [@Sendable (UInt8) -> [UInt8]] = [
            { stream in
                let head = HTTP2Script.head(stream, [(":status", "103")], isLast: false)
                return (0..<20_000).flatMap { _ in head }
            },
            { stream in
                let head = HTTP2Script.frame(1, stream: stream, [0, 1, 120, 0])
                let more = HTTP2Script.frame(9, stream: stream, [UInt8](repeating: 0, count: 16_000))
                return head + (0..<50).flatMap { _ in more }
            },
            { stream in
                let head = HTTP2Script.head(stream, [(":status", "200")], isLast: false)
                let body = HTTP2Script.frame(0, stream: stream, [UInt8](repeating: 32, count: 10_000))
                return head + (0..<50).flatMap { _ in body }
            },
        ]
        for answer in answers {
            var lines = HTTP2Script.Lines()
            lines.answer = answer
            try await withSender(lines, timeout: .seconds(600)) { sender, _ in
                let start = ContinuousClock.now
                let outcome = await sender.send(try request())
                #expect(hasFailed(outcome))
                #expect(ContinuousClock.now - start < .seconds(300))
            }
        }
    }

    @Test("No streams, no window, and streams that are reset: failures, and not one connection for each")
    func refusals() async throws {
        let settings: [[UInt8]] = [[0, 3, 0, 0, 0, 0], [0, 4, 0, 0, 0, 0]]
        for setting in settings {
            var lines = HTTP2Script.Lines()
            lines.greeting = HTTP2Script.frame(4, setting)
            try await withSender(lines, timeout: .milliseconds(200)) { sender, script in
                for _ in 0..<10 {
                    let outcome = await sender.send(try request())
                    #expect(hasFailed(outcome))
                }
                #expect(script.connections <= 4)
            }
        }
        var lines = HTTP2Script.Lines()
        lines.answer = { HTTP2Script.frame(3, stream: $0, [0, 0, 0, 7]) }
        try await withSender(lines) { sender, script in
            for _ in 0..<20 {
                let outcome = await sender.send(try request())
                #expect(hasFailed(outcome))
            }
            #expect(script.connections <= 2)
        }
    }

    @Test("A service that sends everybody away at once is asked again after growing pauses")
    func goAway() async throws {
        var lines = HTTP2Script.Lines()
        lines.greeting = HTTP2Script.frame(4) + HTTP2Script.frame(7, [0, 0, 0, 0, 0, 0, 0, 0])
        try await withSender(lines) { sender, script in
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(2) {
                let outcome = await sender.send(try request())
                #expect(hasFailed(outcome))
                try await Task.sleep(for: .milliseconds(20))
            }
            // After 0, 0.25, 0.75 and 1.75 s, and perhaps one more.
            #expect((1...5).contains(script.connections))
        }
    }

    @Test("A table of HPACK as large as the server likes holds what each request has, and nothing of one alone")
    func table() async throws {
        let request = HTTPExchange.Request(
            path: "/3/device/aa",
            headers: [
                "authorization": "bearer x", "apns-topic": "t.voip", "apns-push-type": "voip", "apns-priority": "10",
                "apns-expiration": "1", "apns-collapse-id": "c", "host": "localhost:1", "content-length": "2",
            ], body: [], longestResponse: 100)
        let fields = HTTP2ExchangeHandler.fields(of: request)
        let remembered = fields.filter { if case .indexable = $0.indexable { true } else { false } }.map(\.name)
        #expect(
            Set(remembered) == [
                ":method", ":scheme", ":authority", "apns-topic", "apns-push-type", "apns-priority",
            ])
        #expect(fields.first(name: ":authority") == "localhost:1" && fields.first(name: "host") == nil)
        var lines = HTTP2Script.Lines()
        lines.greeting = HTTP2Script.frame(4, [0, 1, 255, 255, 255, 255])
        lines.answer = { HTTP2Script.head($0, [(":status", "200")], isLast: true) }
        try await withSender(lines) { sender, _ in
            for _ in 0..<5 {
                let outcome = await sender.send(try self.request())
                #expect(outcome == .delivered)
            }
        }
    }

    @Test("Every token is dead, says the service: each is dropped, and nothing else")
    func deadTokens() {
        for body in ["", "{", #"{"timestamp": 99999999999999999999}"#, #"{"timestamp": "x"}"#, #"{"timestamp": -1}"#] {
            let answer = APNSAnswer(status: 410, body: Array(body.utf8))
            #expect(answer.outcome(at: 1_800_000_000, hasDelivered: false) == .deadToken(since: nil))
        }
        let future = APNSAnswer(status: 410, body: Array(#"{"timestamp": 9223372036854775807}"#.utf8))
        #expect(future.outcome(at: 1_800_000_000, hasDelivered: false) == .deadToken(since: .zero))
        #expect(
            APNSAnswer(status: 410, body: Array(#"{"timestamp": 1}"#.utf8)).outcome(at: .max, hasDelivered: false)
                == .deadToken(since: .zero))
    }
}

@Suite("The log of a service's failures")
struct FailureLogTests {
    private struct Lines: LogHandler {
        let kept: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { kept("\(event.message)") }
    }

    @Test("A service that fails in ever new ways does not fill the log")
    func bounds() {
        let lines = Mutex<[String]>([])
        let log = FailureLog(Logger(label: "test") { _ in Lines(kept: { line in lines.withLock { $0.append(line) } }) })
        let start = ContinuousClock.now
        for number in 0..<1_000 { log.report("\(number)", at: start) }
        #expect(lines.withLock { $0.count } == FailureLog.most)
        log.report("0", at: start + .seconds(59))
        #expect(lines.withLock { $0.count } == FailureLog.most)
        log.report("0", at: start + .seconds(61))
        log.report("new", at: start + .seconds(61))
        #expect(lines.withLock { $0.suffix(2) } == ["0", "new"])
    }
}
