import RTCCrypto
import RTCSignaling
import RTCWire
import Testing

@testable import RTCSignalingPush

@Suite("Rules of Apple's push service")
struct APNSRuleTests {
    private static let key = try? ProviderKey(pem: TestKeys.provider, keyID: "ABC123DEFG", teamID: "TEAM123456")

    private func tokens() throws -> ProviderTokens { ProviderTokens(try #require(Self.key)) }

    @Test("A provider's token names key, team and time, and its signature fits")
    func token() throws {
        let key = try #require(Self.key)
        let token = try #require(key.token(at: 1_800_000_000))
        let parts = token.split(separator: ".")
        #expect(parts.count == 3)
        let texts = parts.prefix(2).map { String(decoding: Base64.decode($0, as: .url) ?? [], as: UTF8.self) }
        #expect(texts == [#"{"alg":"ES256","kid":"ABC123DEFG"}"#, #"{"iss":"TEAM123456","iat":1800000000}"#])
        let signature = try #require(Base64.decode(parts[2], as: .url))
        let verifier = try SignatureKey.pem(TestKeys.providerPublic)
        #expect(signature.count == 64)
        #expect(verifier.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8), by: .es256))
        #expect(!verifier.verifies(signature, of: Array("\(parts[0]).".utf8), by: .es256))
    }

    @Test("The key is in no text that is made of the configuration")
    func redaction() {
        let settings = APNSSender.Configuration(
            key: TestKeys.provider, keyID: "ABC123DEFG", teamID: "TEAM123456", bundle: "org.duet.example")
        var text = "\(settings) " + String(reflecting: settings)
        dump(settings, to: &text)
        #expect(text.contains("ABC123DEFG") && !text.contains("BEGIN"), "\(text)")
    }

    @Test("A token serves for 50 minutes, and never are there two within 20")
    func ages() throws {
        var tokens = try tokens()
        let first = tokens.token(at: .zero, time: 1_000)
        #expect(tokens.token(at: .seconds(3_000 - 1), time: 4_000) == first)
        let second = tokens.token(at: .seconds(3_000), time: 4_001)
        #expect(second != first)
        #expect(tokens.token(at: .seconds(3_600), time: 4_600) == second)
    }

    @Test("One that is refused as expired is replaced as soon as it may be")
    func refused() throws {
        var tokens = try tokens()
        let made = tokens.token(at: .zero, time: 1_000)
        let first = try #require(made)
        #expect(tokens.refused(first, at: .seconds(600)) == false)
        #expect(tokens.token(at: .seconds(601), time: 1_601) == first)
        let next = tokens.token(at: .seconds(1_206), time: 2_206)
        let second = try #require(next)
        #expect(second != first)
        // Another request's answer about the first one is old.
        #expect(tokens.refused(first, at: .seconds(1_207)) == true)
        #expect(tokens.token(at: .seconds(1_208), time: 2_208) == second)
        #expect(tokens.refused(second, at: .seconds(2_412)) == true)
        #expect(tokens.token(at: .seconds(2_412), time: 3_412) != second)
    }

    @Test("Another key brings another token at once, the same one does not")
    func replaced() throws {
        var tokens = try tokens()
        let first = tokens.token(at: .zero, time: 1_000)
        tokens.replace(try ProviderKey(pem: TestKeys.provider, keyID: "ABC123DEFG", teamID: "TEAM123456"))
        #expect(tokens.token(at: .seconds(1), time: 1_001) == first)
        tokens.replace(try ProviderKey(pem: TestKeys.provider, keyID: "OTHER12345", teamID: "TEAM123456"))
        #expect(tokens.token(at: .seconds(2), time: 1_002) != first)
    }

    @Test("What is no key, no identifier or no bundle is refused, and not shown")
    func refusedKeys() {
        for pem in ["", "x", TestKeys.providerPublic, TestKeys.certificate, String(TestKeys.provider.dropLast(60))] {
            let error = #expect(throws: SignalingServerError.self) {
                try ProviderKey(pem: pem, keyID: "ABC123DEFG", teamID: "TEAM123456")
            }
            #expect(error?.description.contains("MI") == false)
        }
        for identifier in ["", "ABC", "ABC123DEFG1", "ABC123DEF\"", "ÄBC123DEF"] {
            #expect(throws: SignalingServerError.self) {
                try ProviderKey(pem: TestKeys.provider, keyID: identifier, teamID: "TEAM123456")
            }
            #expect(throws: SignalingServerError.self) {
                try ProviderKey(pem: TestKeys.provider, keyID: "ABC123DEFG", teamID: identifier)
            }
        }
        for bundle in [
            "", "org.example.Calls.voip", "a b", "a\r\nb", ".a", "a.", String(repeating: "a", count: 200), "ä",
        ] {
            #expect(throws: SignalingServerError.self) { try APNSTopic(bundle: bundle) }
        }
    }

    @Test("A request's path and fields")
    func request() throws {
        let token = try #require(PushToken(bytes: [UInt8](repeating: 0xAB, count: 32)))
        let push = DevicePush(token: token, call: .sample(), timeLeft: .milliseconds(12_900))
        let request = APNSRequest(
            push: push, topic: try APNSTopic(bundle: "org.example.Calls"), token: "t", time: 1_800_000_000)
        #expect(request.path == "/3/device/" + String(repeating: "ab", count: 32))
        let fields = Dictionary(request.headers, uniquingKeysWith: { first, _ in first })
        #expect(
            fields == [
                "authorization": "bearer t", "apns-topic": "org.example.Calls.voip", "apns-push-type": "voip",
                "apns-priority": "10", "apns-expiration": "1800000012", "apns-collapse-id": "abcdefghijklmnop",
            ])
    }

    @Test("The body is what the kit reads, and never too large")
    func payload() throws {
        let token = try #require(PushToken(bytes: [UInt8](repeating: 0xAB, count: 32)))
        let push = DevicePush(token: token, call: .sample(), timeLeft: .seconds(1))
        #expect(
            String(decoding: APNSPayload(push).json, as: UTF8.self)
                == #"{"aps":{},"call":"abcdefghijklmnop","from":"alice","hasVideo":true,"name":"Älice","nameIsProven":true}"#
        )
        let longest = DevicePush(
            token: token, call: .sample(name: String(repeating: "\u{1F468}", count: 64)), timeLeft: .seconds(1))
        #expect(APNSPayload(longest).json.count < APNSRequest.largestBody / 4)
        let nameless = DevicePush(token: token, call: .sample(name: nil), timeLeft: .seconds(1))
        #expect(!String(decoding: APNSPayload(nameless).json, as: UTF8.self).contains("name\":"))
    }

    @Test("What an answer means")
    func answers() {
        func outcome(
            _ status: Int, _ reason: String = "", _ timestamp: Int64? = nil, hasDelivered: Bool = true
        ) -> PushOutcome {
            APNSAnswer(status: status, reason: reason, timestamp: timestamp)
                .outcome(at: 1_000, hasDelivered: hasDelivered)
        }
        #expect(outcome(200) == .delivered)
        #expect(outcome(410, "Unregistered", 940_000) == .deadToken(since: .seconds(60)))
        #expect(outcome(410, "ExpiredToken") == .deadToken(since: nil))
        #expect(outcome(410, "Unregistered", 2_000_000) == .deadToken(since: .zero))
        #expect(outcome(410, "Unregistered", -5) == .deadToken(since: nil))
        #expect(outcome(410, "Unregistered", .max) == .deadToken(since: .zero))
        #expect(outcome(400, "BadDeviceToken") == .deadToken(since: nil))
        #expect(outcome(400, "DeviceTokenNotForTopic") == .deadToken(since: nil))
        for reason in ["BadDeviceToken", "DeviceTokenNotForTopic"] {
            #expect(outcome(400, reason, hasDelivered: false) == .refused, "the configuration may be wrong")
        }
        #expect(outcome(410, "ExpiredToken", hasDelivered: false) == .deadToken(since: nil))
        for reason in ["BadTopic", "PayloadEmpty", "BadExpirationDate", ""] {
            #expect(outcome(400, reason) == .refused)
        }
        #expect(outcome(403, "ExpiredProviderToken") == .failed(retryAfter: .seconds(2)))
        #expect(outcome(403, "InvalidProviderToken") == .refused && outcome(413, "PayloadTooLarge") == .refused)
        #expect(outcome(429, "TooManyRequests") == .failed(retryAfter: .seconds(2)))
        #expect(outcome(500, "InternalServerError") == .failed(retryAfter: .seconds(900)))
        #expect(outcome(503, "ServiceUnavailable") == .failed(retryAfter: .seconds(900)))
        #expect(outcome(503, "Shutdown") == .failed())
        #expect(outcome(404, "BadPath") == .refused && outcome(0) == .refused && outcome(302) == .refused)
    }

    @Test("An answer's body is read with care, and nothing odd of it is logged")
    func bodies() {
        func answer(_ body: String) -> APNSAnswer { APNSAnswer(status: 400, body: Array(body.utf8)) }
        #expect(answer(#"{"reason":"BadTopic"}"#).reason == "BadTopic")
        #expect(answer(#"{"reason":"Unregistered","timestamp":1454948015990}"#).timestamp == 1_454_948_015_990)
        for body in ["", "{", "[]", #"{"reason":7}"#, #"{"timestamp":"x"}"#, String(repeating: "[", count: 9_000)] {
            #expect(answer(body) == APNSAnswer(status: 400), "\(body.prefix(20))")
        }
        #expect(APNSAnswer(status: 400, reason: "Bad\nTopic").loggedReason.isEmpty)
        #expect(APNSAnswer(status: 400, reason: "BadTopic").loggedReason == "BadTopic")
    }
}
