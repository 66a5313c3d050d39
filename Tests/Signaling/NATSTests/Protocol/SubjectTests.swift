import Testing

@testable import NATS

@Suite("Subjects, keys and addresses")
struct SubjectTests {
    @Test(
        "Subjects have tokens without wildcards",
        arguments: ["a", "a.b.c", "$JS.API.X", "foo*", "a.>b", "größe.x", "_INBOX.a-b_c"])
    func valid(text: String) throws {
        #expect(try NATSSubject(text).text == text)
        #expect(try NATSSubjectFilter(text).text == text)
    }

    @Test(
        "Anything that could end a line or add an argument is refused",
        arguments: ["", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\r\nPUB x 0", "a\n", "a\0", "a\u{7F}", " a"])
    func injection(text: String) {
        #expect(throws: NATSError.self) { try NATSSubject(text) }
        #expect(throws: NATSError.self) { try NATSSubjectFilter(text) }
    }

    @Test("Wildcards are whole tokens of a filter, and `>` is its last", arguments: ["*", ">", "a.*", "a.>", "*.b.*"])
    func wildcards(text: String) throws {
        #expect(throws: NATSError.self) { try NATSSubject(text) }
        #expect(try NATSSubjectFilter(text).hasWildcards)
        #expect(throws: NATSError.self) { try NATSSubjectFilter(">.a") }
        #expect(throws: NATSError.self) { try NATSSubjectFilter("a.>.b") }
        #expect(try !NATSSubjectFilter("a*").hasWildcards)
    }

    @Test("The length is limited")
    func length() {
        #expect(throws: Never.self) { try NATSSubject(String(repeating: "a", count: 1_024)) }
        #expect(throws: NATSError.self) { try NATSSubject(String(repeating: "a", count: 1_025)) }
    }

    @Test(
        "Filters match as the protocol says",
        arguments: [
            ("a.b", "a.b", true), ("a.b", "a", false), ("a", "a.b", false), ("a.*", "a.b", true), ("a.*", "a", false),
            ("a.*", "a.b.c", false), ("a.>", "a.b.c", true), ("a.>", "a", false), (">", "a", true),
            ("*.b", "a.b", true),
            ("*.b", "b.a", false), ("a*", "ab", false), ("a*", "a*", true),
        ])
    func matching(filter: String, subject: String, matches: Bool) throws {
        #expect(try NATSSubjectFilter(filter).matches(NATSSubject(subject)) == matches)
    }

    @Test("Keys have the characters of ADR-8", arguments: ["a", "A-z_0/9=.b", "="])
    func keys(text: String) throws {
        #expect(try KeyValueKey(text).text == text)
    }

    @Test("Others are no keys", arguments: ["", "a b", "ä", "a..b", ".a", "a.", "_kv", "_kv.x", "a*", "a$", "a\r\n"])
    func noKeys(text: String) {
        #expect(throws: NATSError.self) { try KeyValueKey(text) }
        #expect(throws: NATSError.self) { try KeyValueBucketName(text + ".") }
    }

    @Test(
        "Addresses of servers",
        arguments: [
            ("nats://host", "host:4222"), ("host:1", "host:1"), ("NATS://10.0.0.1:65535/", "10.0.0.1:65535"),
            ("[::1]:4222", "[::1]:4222"), ("nats://[fe80::1]", "[fe80::1]:4222"), ("a-b.example", "a-b.example:4222"),
        ])
    func addresses(text: String, description: String) throws {
        #expect(try NATSServer(text).description == description)
    }

    @Test(
        "Addresses with credentials, paths or other schemes are refused",
        arguments: [
            "", "nats://", "nats://user:password@host", "http://example.org", "tls://example.org", "host:0",
            "host:65536", "host:-1", "host:x",
            "ho st", "host/path", "[::1", "[host]:1", "::1", "[::1]x", "host\r\n", "host:",
        ])
    func noAddresses(text: String) {
        #expect(throws: NATSError.self) { try NATSServer(text) }
    }

    @Test("Operations of a client are lines of the protocol")
    func operations() throws {
        var headers = NATSHeaders()
        try headers.append("A", "b")
        let subject = try NATSSubject("a.b")
        let texts = [
            ClientOperation.publish(subject, reply: nil, headers: NATSHeaders(), payload: Array("hi\r\n".utf8)),
            .publish(subject, reply: try NATSSubject("r"), headers: headers, payload: [0x21]),
            .subscribe(try NATSSubjectFilter("a.>"), queue: nil, subscription: 7),
            .subscribe(try NATSSubjectFilter("a"), queue: try NATSSubject("q"), subscription: 8),
            .unsubscribe(7), .unsubscribe(8, after: 5), .ping, .pong, .connect(Array("{}".utf8)),
        ].map { String(decoding: $0.encoded, as: UTF8.self) }
        #expect(
            texts == [
                "PUB a.b 4\r\nhi\r\n\r\n", "HPUB a.b r 18 19\r\nNATS/1.0\r\nA: b\r\n\r\n!\r\n", "SUB a.> 7\r\n",
                "SUB a q 8\r\n",
                "UNSUB 7\r\n", "UNSUB 8 5\r\n", "PING\r\n", "PONG\r\n", "CONNECT {}\r\n",
            ])
    }
}
