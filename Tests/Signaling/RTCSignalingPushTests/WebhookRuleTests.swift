import RTCSignaling
import Testing

@testable import RTCSignalingPush

extension RingingCall {
    /// A call of Alice to Bob.
    static func sample(name: String? = "Älice", timeLeft: Duration = .seconds(30)) -> RingingCall {
        guard let id = CallID(rawValue: "abcdefghijklmnop"), let alice = UserID(rawValue: "alice"),
            let bob = UserID(rawValue: "bob"), let device = SignalingDeviceID(rawValue: "a1")
        else { preconditionFailure("no identifiers") }
        let peer = SignalingPeer(
            user: alice, device: device, name: name.flatMap { DisplayName(rawValue: $0) }, nameIsProven: true)
        return RingingCall(
            id: id, caller: peer, callee: SignalingAddress(user: bob), timeLeft: timeLeft, media: [.audio, .video])
    }
}

@Suite("Events of a webhook")
struct WebhookRuleTests {
    @Test("A signature as other implementations of Standard Webhooks make it")
    func vector() throws {
        let secrets = try WebhookSecrets(parsing: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let signature = secrets.signature(
            of: Array(#"{"test": 2432232314}"#.utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: 1_614_265_330)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("While one secret replaces another, both sign")
    func rotation() throws {
        let old = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let new = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let both = try WebhookSecrets(parsing: "# new\n\(new)\n\n  \(old) # old\r\n")
        let signatures = try [new, old].map {
            try WebhookSecrets(parsing: $0).signature(of: [1], id: "x", time: 2)
        }
        #expect(both.signature(of: [1], id: "x", time: 2) == signatures.joined(separator: " "))
        #expect(!"\(both)\(String(reflecting: both))".contains("whsec"))
    }

    @Test(
        "What is no secret is refused, and not shown",
        arguments: [
            "", "# nothing", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_AAAA", "whsec_???",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_" + String(repeating: "AAAA", count: 22), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
            String(repeating: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", count: 5),
        ])
    func refusedSecrets(text: String) {
        let error = #expect(throws: SignalingServerError.self) { try WebhookSecrets(parsing: text) }
        #expect(error?.description.contains("MfKQ") == false)
    }

    @Test("The body of an event")
    func bodies() {
        let call = RingingCall.sample()
        let ringing = WebhookEvent(kind: .ringing, call: call, timeLeft: .milliseconds(29_900))
        #expect(
            String(decoding: WebhookPayload(ringing, at: 1_800_000_000).json, as: UTF8.self)
                == #"{"data":{"call":"abcdefghijklmnop","expires":"2027-01-15T08:00:29Z","from":{"device":"a1","name":"Älice","nameIsProven":true,"user":"alice"},"media":["audio","video"],"to":{"user":"bob"}},"timestamp":"2027-01-15T08:00:00Z","type":"call.ringing"}"#
        )
        #expect(ringing.id == "ringing_abcdefghijklmnop")
        let ended = WebhookEvent(kind: .ended(.ended(reason: "cancelled")), call: call, timeLeft: .zero)
        let text = String(decoding: WebhookPayload(ended, at: 1_800_000_000).json, as: UTF8.self)
        #expect(text.contains(#""reason":"cancelled""#) && text.contains(#""type":"call.ended""#))
        #expect(!text.contains("expires") && ended.id == "ended_abcdefghijklmnop")
        let answered = WebhookEvent(kind: .ended(.answered(by: call.caller)), call: call, timeLeft: .zero)
        let other = String(decoding: WebhookPayload(answered, at: 0).json, as: UTF8.self)
        #expect(other.contains(#""device":"a1","from""#) && other.contains(#""reason":"answered""#))
    }

    @Test("What an answer means")
    func answers() {
        func outcome(_ status: Int, _ body: String = "", _ retryAfter: String? = nil) -> PushOutcome {
            WebhookAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8)).outcome
        }
        for body in [
            "", "ok", "{}", #"{"reachable": true}"#, #"{"reachable": null}"#, #"{"reachable": 0}"#, "[", "\u{0}",
        ] {
            #expect(outcome(200, body) == .delivered && outcome(204, body) == .delivered, "\(body)")
        }
        #expect(outcome(202, #"{"reachable": false}"#) == .unreachable)
        #expect(outcome(200, String(repeating: "[", count: 10_000)) == .delivered)
        for status in [301, 400, 404, 410, 429, 500, 503] { #expect(outcome(status) == .failed(), "\(status)") }
        #expect(outcome(503, "", "7") == .failed(retryAfter: .seconds(7)))
        #expect(outcome(503, "", "99999999999") == .failed(retryAfter: .seconds(60)))
        for text in ["-1", "soon", "", "1e9", "999999999999999999999"] { #expect(outcome(503, "", text) == .failed()) }
    }

    @Test(
        "Only addresses to which a secret's owner can be sure to speak",
        arguments: [
            "", "calls.example.org", "http://calls.example.org/", "ftp://calls.example.org/", "https://",
            "https://a.example:0/",
            "https://user:password@calls.example.org/", "https://calls.example.org/#part",
            "https://calls.example.org/\r\nX: y",
            "http://127.0.0.1.example.org/",
        ])
    func refusedAddresses(text: String) throws {
        let secrets = try WebhookSecrets(parsing: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        #expect(throws: SignalingServerError.self) { try WebhookSender(url: text, secrets: secrets) }
    }

    @Test("Addresses that are used")
    func addresses() throws {
        let address = try HTTPServerAddress("https://Calls.example.org/hooks/duet?a=b")
        #expect(address.host == "calls.example.org" && address.port == 443 && address.path == "/hooks/duet?a=b")
        #expect(try HTTPServerAddress("http://[::1]:8080").authority == "[::1]:8080")
        #expect(try HTTPServerAddress("http://localhost:8080").path == "/")
        #expect {
            _ = try HTTPServerAddress("https://user:swordfish@example.org/")
        } throws: {
            !"\($0)".contains("swordfish")
        }
    }
}
