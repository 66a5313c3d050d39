import NIOHTTP1
import RTCCrypto
import RTCSignaling
import RTCWire
import Testing

@testable import RTCSignalingPush

@Suite("Sending events of a webhook")
struct WebhookSenderTests {
    private static let secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let request = PushRequest(
        id: 1, content: .webhook(WebhookEvent(kind: .ringing, call: .sample(), timeLeft: .seconds(30))))

    private func send(
        _ answers: [HTTPReceiver.Answer], count: Int = 1, timeout: Duration = .seconds(20)
    ) async throws -> (outcomes: [PushOutcome], received: [HTTPReceiver.Request]) {
        let receiver = try await HTTPReceiver.start(answers)
        let sender = try WebhookSender(
            url: "http://127.0.0.1:\(receiver.port)/hook?x=1", secrets: WebhookSecrets(parsing: "whsec_\(Self.secret)"),
            timeout: timeout)
        var outcomes: [PushOutcome] = []
        for _ in 0..<count { outcomes.append(await sender.send(request)) }
        try await receiver.stop()
        return (outcomes, receiver.received)
    }

    @Test("A request as Standard Webhooks has it, with a signature that fits what arrives")
    func signed() async throws {
        let (outcomes, received) = try await send([.status(204)])
        #expect(outcomes == [.delivered])
        let arrived = try #require(received.first)
        #expect(arrived.head.method == .POST && arrived.head.uri == "/hook?x=1")
        let headers = arrived.head.headers
        #expect(
            headers["content-type"] == ["application/json"] && headers["webhook-id"] == ["ringing_abcdefghijklmnop"])
        let time = try #require(headers.first(name: "webhook-timestamp"))
        #expect(try #require(Int64(time)) > 1_700_000_000)
        let key = try #require(Base64.decode(Self.secret))
        let code = MessageCode.hmacSHA256(key: key, Array("ringing_abcdefghijklmnop.\(time).".utf8) + arrived.body)
        #expect(headers["webhook-signature"] == ["v1,\(Base64.encode(code))"])
    }

    @Test("Replaced secrets sign from then on")
    func replaced() async throws {
        let receiver = try await HTTPReceiver.start([.status(200)])
        let sender = try WebhookSender(
            url: "http://127.0.0.1:\(receiver.port)/", secrets: WebhookSecrets(parsing: "whsec_\(Self.secret)"))
        _ = await sender.send(request)
        sender.replace(
            secrets: try WebhookSecrets(
                parsing: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\nwhsec_\(Self.secret)"))
        _ = await sender.send(request)
        let counts = receiver.received.map { $0.head.headers["webhook-signature"][0].split(separator: " ").count }
        #expect(counts == [1, 2])
        try await receiver.stop()
    }

    @Test("Answers of receivers, redirects included, which are not followed")
    func answers() async throws {
        let answers: [HTTPReceiver.Answer] = [
            .status(200, #"{"reachable": false}"#), .status(302, "", [("location", "http://127.0.0.1:1/")]),
            .status(503, "", [("retry-after", "3")]), .nothing, .status(200),
        ]
        let (outcomes, received) = try await send(answers, count: 5)
        #expect(outcomes == [.unreachable, .failed(), .failed(retryAfter: .seconds(3)), .failed(), .delivered])
        #expect(received.count == 5)
    }

    @Test("A receiver that is slow, endless, or speaks nothing that is HTTP")
    func hostile() async throws {
        #expect(try await send([.silence], timeout: .milliseconds(200)).outcomes == [.failed()])
        let endless = String(repeating: "x", count: HTTPServerAddress.longestAnswer + 1)
        #expect(try await send([.status(200, endless)]).outcomes == [.failed()])
        #expect(try await send([.bytes(Array("SSH-2.0-x\r\n".utf8))]).outcomes == [.failed()])
    }

    @Test("Endless informational responses, headers and trailers end with the connection, not with the time")
    func endless() async throws {
        func lines(_ line: String) -> [UInt8] { Array(String(repeating: line, count: 20_000).utf8) }
        let answers = [
            lines("HTTP/1.1 103 Early Hints\r\n\r\n"),
            Array("HTTP/1.1 200 OK\r\n".utf8) + lines("x: y\r\n"),
            Array("HTTP/1.1 200 OK\r\nx: ".utf8) + lines("yyyyyyyy"),
            Array("HTTP/1.1 200 ".utf8) + lines("OK OK OK "),
            Array("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n".utf8) + lines("x: y\r\n"),
            Array("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".utf8) + lines("1;xxxx\r\ny\r\n"),
        ]
        for answer in answers {
            let start = ContinuousClock.now
            #expect(try await send([.open(answer)], timeout: .seconds(600)).outcomes == [.failed()])
            #expect(ContinuousClock.now - start < .seconds(300))
        }
    }

    @Test("A task that is cancelled waits no longer", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let receiver = try await HTTPReceiver.start([.silence])
        let sender = try WebhookSender(
            url: "http://127.0.0.1:\(receiver.port)/", secrets: WebhookSecrets(parsing: "whsec_\(Self.secret)"),
            timeout: .seconds(3_600))
        let request = request
        let sending = Task { await sender.send(request) }
        while receiver.received.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        sending.cancel()
        #expect(await sending.value == .failed())
        try await receiver.stop()
    }

    @Test("Nobody listens")
    func closed() async throws {
        let receiver = try await HTTPReceiver.start([.nothing])
        let port = receiver.port
        try await receiver.stop()
        let sender = try WebhookSender(
            url: "http://127.0.0.1:\(port)/", secrets: WebhookSecrets(parsing: "whsec_\(Self.secret)"))
        #expect(await sender.send(request) == .failed())
    }

    @Test("A request of another kind is none for it")
    func otherKind() async throws {
        let token = try #require(PushToken(bytes: [UInt8](repeating: 1, count: 32)))
        let push = DevicePush(token: token, call: .sample(), timeLeft: .seconds(1))
        let sender = try WebhookSender(
            url: "http://127.0.0.1:1/", secrets: WebhookSecrets(parsing: "whsec_\(Self.secret)"))
        #expect(await sender.send(PushRequest(id: 1, content: .device(push))) == .refused)
    }
}
