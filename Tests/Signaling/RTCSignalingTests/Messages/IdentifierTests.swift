import Testing

@testable import RTCSignaling

@Suite("Identifiers, names and data")
struct IdentifierTests {
    @Test("Users and devices have a small alphabet and at most 64 characters")
    func users() {
        for text in ["a", "Alice.B_c-d@e+f:g=h~i|j", String(repeating: "x", count: 64)] {
            #expect(UserID(rawValue: text)?.rawValue == text)
            #expect(SignalingDeviceID(rawValue: text)?.rawValue == text)
        }
        for text in ["", "a b", "a/b", "ä", "a\n", "<a>", "a\"", String(repeating: "x", count: 65)] {
            #expect(UserID(rawValue: text) == nil, "\(text)")
            #expect(SignalingDeviceID(rawValue: text) == nil, "\(text)")
        }
    }

    @Test("Calls have at least 16 characters; new ones differ")
    func calls() {
        #expect(CallID(rawValue: "0123456789abcde") == nil)
        #expect(CallID(rawValue: "0197c8e2-7d1c-7bb0-9c5a-3f0e8b1d5a11") != nil)
        #expect(CallID(rawValue: "0123456789abcdef.") == nil)
        let many = Set((0..<1_000).map { _ in CallID.random() })
        #expect(many.count == 1_000)
        #expect(many.allSatisfy { CallID(rawValue: $0.rawValue) != nil })
    }

    @Test("Addresses as text")
    func addresses() {
        for text in ["bob", "bob/k3"] { #expect(SignalingAddress(text)?.description == text) }
        for text in ["", "/", "bob/", "/k3", "bob/k3/x"] { #expect(SignalingAddress(text) == nil, "\(text)") }
    }

    @Test("Names for people: no control characters, nothing that hides or reverses text, and not too long")
    func names() {
        for text in ["Zoë", "李雷", "👩‍👩‍👧", "O’Neill"] { #expect(DisplayName(rawValue: text) != nil, "\(text)") }
        for text in ["", "a\nb", "a\u{0}b", "a\u{202E}b", "a\u{2028}b", String(repeating: "x", count: 65)] {
            #expect(DisplayName(rawValue: text) == nil, "\(text)")
        }
        // One character, very many bytes.
        #expect(DisplayName(rawValue: "a" + String(repeating: "\u{0301}", count: 200)) == nil)
        #expect(DisplayName(shortening: "a\nb\u{202E}c")?.rawValue == "abc")
        #expect(DisplayName(shortening: String(repeating: "ä", count: 500))?.rawValue.count == 64)
        #expect(DisplayName(shortening: "\n") == nil)
    }

    @Test("Credentials for relays: expiry and user, signed; only where none are given")
    func relayCredentials() {
        let credentials = RelayCredentials(secret: "north", lifetime: .seconds(3_600))
        let (username, credential) = credentials.credentials(for: "alice", at: 1_000)
        #expect(username == "4600:alice")
        // printf 4600:alice | openssl dgst -sha1 -hmac north -binary | base64
        #expect(credential == "yVLS7jRIbhPLg+yaWQ8V+sE4g5I=")
        let servers = [
            SignalingICEServer(urls: ["stun:s.example.org"]), SignalingICEServer(urls: ["TURNS:t.example.org"]),
            SignalingICEServer(urls: ["turn:own.example.org"], username: "me", credential: "mine"),
        ]
        let filled = credentials.fill(servers, for: "alice", at: 1_000)
        #expect(filled.iceServers[0] == servers[0])
        #expect(filled.iceServers[1].username == "4600:alice")
        #expect(filled.iceServers[2] == servers[2])
        #expect(filled.iceServersLifetime == 3_600)
        #expect(credentials.fill([servers[0]], for: "alice", at: 0).iceServersLifetime == nil)
        let short = credentials.fill(servers, for: "alice", atMost: .seconds(60), at: 1_000)
        #expect(short.iceServersLifetime == 60 && short.iceServers[1].username == "1060:alice", "with the token")
        let shared = credentials.fill(servers, forNetwork: nil, at: 1_000)
        #expect(shared.iceServers[1].username == "4600:network-unknown")
    }

    @Test("Credentials and secrets are in no text that is made of what holds them")
    func redaction() throws {
        let server = SignalingICEServer(urls: ["turn:t.example.org"], username: "4600:alice", credential: "hunter2")
        let servers = ICEServers(iceServers: [server], iceServersLifetime: 3_600)
        let message = ServerMessage.iceServers(servers)
        for text in ["\(server)", "\(servers)", "\(message)", "\([server])", String(reflecting: message)] {
            #expect(text.contains("turn:t.example.org") && !text.contains("hunter2"), "\(text)")
        }
        var dumped = ""
        dump(message, to: &dumped)
        dump(RelayCredentials(secret: "hunter2"), to: &dumped)
        print(RelayCredentials(secret: "hunter2"), to: &dumped)
        #expect(!dumped.contains("hunter2") && !dumped.contains("104"))
    }

    @Test("Neither a token nor the secret of a session is in a text that is made of a sign-in")
    func signInRedaction() {
        let hello = Hello(
            user: "alice", device: "a1", token: "hunter2", resume: Hello.Resume(session: "hunter2", received: 3))
        let welcome = Welcome(
            user: "alice", device: "a1", session: "hunter2", resumed: true, received: 3, resumeWindow: 30)
        let printed: [Any] = [
            hello, welcome, ClientMessage.hello(hello), ServerMessage.welcome(welcome),
            SignalingClient.Event.connected(welcome),
        ]
        for value in printed {
            var text = "\(value) " + String(reflecting: value)
            dump(value, to: &text)
            #expect(text.contains("alice") && !text.contains("hunter2"), "\(text)")
        }
        var text = "\(hello.resume as Any) " + String(reflecting: hello.resume)
        dump(hello.resume, to: &text)
        #expect(!text.contains("hunter2"))
    }

    @Test("New servers are asked for when three quarters of their time are over, and never in a hurry")
    func renewal() {
        func delay(_ lifetime: Double?) -> Duration? {
            ICEServers(iceServers: [], iceServersLifetime: lifetime).renewalDelay()
        }
        #expect(delay(nil) == nil)
        #expect(delay(43_200) == .seconds(32_400))
        #expect(delay(0) == .seconds(2) && delay(-1) == .seconds(2) && delay(.nan) == .seconds(2))
        #expect(delay(1e300) == .seconds(86_400) && delay(.infinity) == .seconds(2))
    }

    @Test("The address of a server")
    func urls() {
        func read(_ text: String) -> String? { SignalingURL(text)?.description }
        #expect(read("ws://localhost:8080") == "ws://localhost:8080/signal")
        #expect(read("http://localhost:8080/#call=bob") == "ws://localhost:8080/signal")
        #expect(read("https://example.org/") == "wss://example.org/signal")
        #expect(read("wss://example.org:444/other?x") == "wss://example.org:444/other?x")
        #expect(read("ws://[::1]:8080") == "ws://[::1]:8080/signal")
        for text in [
            "", "localhost", "ftp://x", "ws://", "ws://x:0", "ws://x:99999", "ws://x:y", "ws://a@b", "ws://[::1",
            "ws://a b",
        ] {
            #expect(read(text) == nil, "\(text)")
        }
    }
}
