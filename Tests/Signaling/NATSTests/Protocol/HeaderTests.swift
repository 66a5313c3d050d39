import Testing

@testable import NATS

@Suite("Headers of NATS messages")
struct HeaderTests {
    private static func parse(_ text: String) -> (status: NATSStatus?, headers: NATSHeaders)? {
        NATSHeaders.parse(Array(text.utf8)[...])
    }

    @Test("What was written is read again, in order, with repeated names")
    func roundTrip() throws {
        var headers = NATSHeaders()
        try headers.append("KV-Operation", "DEL")
        try headers.append("a", "")
        try headers.append("A", "x: y  z")
        try headers.append("a", "zweite Größe")
        let parsed = try #require(NATSHeaders.parse(headers.encoded[...]))
        #expect(parsed.headers == headers && parsed.status == nil)
        #expect(parsed.headers["a"] == "" && parsed.headers["A"] == "x: y  z" && parsed.headers["b"] == nil)
        #expect(String(decoding: NATSHeaders().encoded, as: UTF8.self) == "NATS/1.0\r\n\r\n")
    }

    @Test(
        "Values that would begin another line or header are refused",
        arguments: ["a\r\nB: c", "a\nB: c", "a\rb", "a\0b", "\r\n\r\nPUB x 0", " a", "a\t"])
    func injectionByValue(value: String) throws {
        var headers = NATSHeaders()
        #expect(throws: NATSError.self) { try headers.append("A", value) }
        #expect(headers.isEmpty)
    }

    @Test(
        "Names with other characters are refused", arguments: ["", "a b", "a:", ":", "a\r\nb", "ä", "a\tb", "a\u{7F}"])
    func injectionByName(name: String) {
        var headers = NATSHeaders()
        #expect(throws: NATSError.self) { try headers.append(name, "x") }
    }

    @Test("A status has three digits and perhaps a description")
    func statuses() throws {
        #expect(Self.parse("NATS/1.0 503\r\n\r\n")?.status == NATSStatus(code: 503, description: ""))
        #expect(Self.parse("NATS/1.0 100 Idle Heartbeat\r\n\r\n")?.status?.description == "Idle Heartbeat")
        let heartbeat = try #require(Self.parse("NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 7\r\n\r\n"))
        #expect(heartbeat.headers["Nats-Last-Consumer"] == "7")
        #expect(Self.parse("NATS/1.0 \r\n\r\n").map { $0.status == nil } == true)
        for bad in [
            "NATS/1.0 50\r\n\r\n", "NATS/1.0 5034\r\n\r\n", "NATS/1.0 -10\r\n\r\n", "NATS/1.0x\r\n\r\n",
            "NATS/1.1\r\n\r\n",
        ] {
            #expect(Self.parse(bad) == nil, "\(bad)")
        }
    }

    @Test(
        "Blocks that are not complete, or have more than fields, are refused",
        arguments: [
            "", "NATS/1.0", "NATS/1.0\r\n", "NATS/1.0\r\nA: b\r\n", "NATS/1.0\n\n", "NATS/1.0\r\n\r\nmore",
            "NATS/1.0\r\nA b\r\n\r\n",
            "NATS/1.0\r\n: b\r\n\r\n", "NATS/1.0\r\nA: b\r\n folded\r\n\r\n", "NATS/1.0\r\nA: b\rc\r\n\r\n",
            "NATS/1.0\r\nA : b\r\n\r\n",
        ])
    func malformed(text: String) {
        #expect(Self.parse(text) == nil)
    }

    @Test("The number of fields is limited")
    func count() {
        let fields = { String(repeating: "A: b\r\n", count: $0) }
        #expect(Self.parse("NATS/1.0\r\n\(fields(256))\r\n")?.headers.fields.count == 256)
        #expect(Self.parse("NATS/1.0\r\n\(fields(257))\r\n") == nil)
    }
}
