import Testing

@testable import OAuth

@Suite("Encodings of OAuth")
struct EncodingTests {
    @Test("Parameters are escaped so that no decoder can take them for others")
    func form() {
        let text = FormEncoding.encode([("a b", "c&d=e"), ("ü", "+%~-._"), ("empty", "")])
        #expect(text == "a%20b=c%26d%3De&%C3%BC=%2B%25~-._&empty=")
        #expect(FormEncoding.decode(text) == ["a b": "c&d=e", "ü": "+%~-._", "empty": ""])
        #expect(FormEncoding.decode("a+b=c+d&x") == ["a b": "c d", "x": ""])
        #expect(FormEncoding.decode("") == [:])
        #expect(FormEncoding.decode("a=b=c") == ["a": "b=c"])
    }

    @Test(
        "Parameters that could be read in two ways are refused",
        arguments: ["a=1&a=2", "a=1&%61=2", "a=%", "a=%4", "a=%zz", "a=%ff", "%80=1"])
    func wrongForm(text: String) {
        #expect(FormEncoding.decode(text) == nil)
    }

    @Test("More parameters than anybody sends are refused")
    func manyParameters() {
        #expect(FormEncoding.decode((0..<64).map { "p\($0)=1" }.joined(separator: "&"))?.count == 64)
        #expect(FormEncoding.decode((0..<100).map { "p\($0)=1" }.joined(separator: "&")) == nil)
    }

    @Test("JSON is read")
    func json() {
        let text = #" { "a" : [ 1, -2.5e3, true, false, null ], "ü\n\u00e9\ud83d\ude00\/" : { } } "#
        #expect(
            JSON(text.utf8)
                == .object([
                    "a": .array([.number(1), .number(-2500), .bool(true), .bool(false), .null]),
                    "ü\né😀/": .object([:]),
                ]))
        #expect(JSON(#""x""#.utf8) == .string("x"))
        #expect(JSON("0".utf8) == .number(0))
        #expect(JSON(#"{"a":null}"#.utf8)?["a"] == nil)
    }

    @Test(
        "What is no JSON, or has two meanings, is refused",
        arguments: [
            "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{a:1}", "01",
            "1.",
            ".5", "+1", "1e", "-", "NaN", "Infinity", "1e999", "tru", "nulll", "\"", "\"\\x\"", "\"\\ud800\"",
            "\"\\ud800x\"", "\"\\udc00\"", "\"\\u12g4\"", "\"\t\"", "1 2", "{} {}", "[",
            "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]",
            "\u{FEFF}1", "// x\n1",
        ])
    func wrongJSON(text: String) {
        #expect(JSON(text.utf8) == nil)
    }

    @Test("Bytes that are no text are refused")
    func wrongBytes() {
        #expect(JSON([0x22, 0xFF, 0x22]) == nil)
        #expect(JSON([0x22, 0xC0, 0x80, 0x22]) == nil)
        #expect(JSON([0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
    }

    @Test("What is written reads the same")
    func roundTrip() {
        let value = JSON.object([
            "text": .string("\"\\\u{0}\u{1F}\n\u{7F}é😀"), "whole": .number(1_700_000_000), "part": .number(0.5),
            "list": .array([.null, .bool(true)]),
        ])
        #expect(JSON(value.text.utf8) == value)
        #expect(JSON.object(["n": .number(1_700_000_000)]).text == #"{"n":1700000000}"#)
    }

    @Test("Addresses are taken apart")
    func address() throws {
        let address = try #require(WebAddress("HTTPS://User@Example.ORG:8443/a/b?x=1?2#y#z"))
        #expect(address.scheme == "HTTPS" && address.hasScheme("https"))
        #expect(address.host == nil, "who is named before the host is not the host")
        #expect(address.path == "/a/b" && address.query == "x=1?2" && address.fragment == "y#z")
        let plain = try #require(WebAddress("https://Example.ORG"))
        #expect(plain.host == "example.org" && plain.port == 443 && plain.path == "" && plain.query == nil)
        let six = try #require(WebAddress("http://[::1]:80/x"))
        #expect(six.host == "::1" && six.port == 80 && six.isLoopback)
        let opaque = try #require(WebAddress("com.example:cb?code=1"))
        #expect(opaque.authority == nil && opaque.path == "cb" && opaque.query == "code=1")
        #expect(try #require(WebAddress("http://h.example:99999/")).port == nil)
        #expect(try #require(WebAddress("http://h.example:x/")).port == nil)
    }

    @Test(
        "What is no address is refused",
        arguments: [
            "", "x", "//host/path", "/path", "1http://h.example/", "ht tp://h.example/", "http://h.example/\u{0}",
            "http://h.example/ x",
            "http://é.example/",
            "http://h.example/\n", ":x", "http://h.example/<script>", "http://h.example/\\evil",
        ])
    func wrongAddress(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test("Only this machine is this machine")
    func loopback() {
        for host in ["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "[::1]"] {
            #expect(WebAddress("http://\(host)/")?.isLoopback == true, "\(host)")
        }
        for host in [
            "127.0.0.1.evil.example", "127.0.0", "128.0.0.1", "localhost.evil.example", "[::2]",
            "127.0.0.1@evil.example",
            "127.0.0.256",
        ] {
            #expect(WebAddress("http://\(host)/")?.isLoopback == false, "\(host)")
        }
    }

    @Test("Secrets are never printed")
    func secrets() throws {
        let secret = Secret("top-secret")
        var dumped = ""
        dump(secret, to: &dumped)
        let tokens = TokenSet(
            accessToken: secret, expiry: nil, refreshToken: secret, idToken: secret, scopes: nil,
            identity: Identity(subject: "alice"))
        dump(tokens, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\(tokens)", String(reflecting: tokens)] {
            #expect(!text.contains("top-secret"), "\(text)")
        }
        let address = try #require(WebAddress("https://h.example/token?code=top-secret"))
        let request = OAuthRequest.post(address, [("code", "top-secret")], authorization: secret)
        #expect("\(request)" == "POST https://h.example/token")
        let response = OAuthResponse(status: 200, body: Array("top-secret".utf8))
        let login = try AuthorizationRequest.sample()
        let printed: [Any] = [request, request.headers, response, login]
        for value in printed {
            var text = "\(value)" + String(reflecting: value)
            dump(value, to: &text)
            #expect(!text.contains("top-secret") && !text.contains("116, 111, 112"), "\(text)")
            #expect(!text.contains(login.state.value) && !text.contains(login.verifier.challenge), "\(text)")
        }
    }

    @Test("How long an answer may be kept is read as servers write it")
    func lifetimes() {
        for (text, seconds) in [
            ("max-age=300", 300), ("public, max-age=21600, must-revalidate", 21_600), ("Max-Age=5", 5),
            ("no-store", nil),
            ("", nil), ("max-age=x", nil), ("s-maxage=9", nil),
        ] as [(String, Int64?)] {
            #expect(OAuthResponse.lifetime(text) == seconds, "\(text)")
        }
    }

    @Test("Times that no calendar has are clamped, and add up without a trap")
    func times() throws {
        #expect(try #require(UnixTime(1e300)) + Int64.max == UnixTime(seconds: .max))
        #expect(UnixTime(.nan) == nil)
        #expect(try #require(UnixTime(-1e300)) + Int64.min < UnixTime(seconds: 0))
        #expect(try #require(UnixTime(1.9)).seconds == 1)
    }
}
