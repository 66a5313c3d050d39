import Testing

@testable import NATS

@Suite("The operations of a server")
struct ServerParserTests {
    private static let stream =
        "INFO {\"server_id\":\"A\",\"max_payload\":100}\r\n+OK\r\nPING\r\nMSG a.b 9 5\r\nhel\r\n\r\n"
        + "MSG a.b 10 _INBOX.1 0\r\n\r\nHMSG a 1 12 12\r\nNATS/1.0\r\n\r\n\r\n"
        + "hmsg a\t1  re.ply 22 24\r\nNATS/1.0 503\r\nA: b\r\n\r\nhi\r\nPONG\r\n-ERR 'Stale Connection'\r\nMSG a 2 0\r\n\r\n"

    private static func operations(_ chunks: [[UInt8]], _ limits: ProtocolLimits = ProtocolLimits()) throws
        -> [ServerOperation]
    {
        var parser = ServerParser(limits: limits)
        var operations: [ServerOperation] = []
        for chunk in chunks {
            parser.append(chunk)
            while let operation = try parser.next() { operations.append(operation) }
        }
        return operations
    }

    private static func violation(_ text: String, _ limits: ProtocolLimits = ProtocolLimits()) -> ServerViolation? {
        do {
            _ = try operations([Array(text.utf8)], limits)
            return nil
        } catch { return error as? ServerViolation }
    }

    private static let expected: [ServerOperation] = [
        .info(Array("{\"server_id\":\"A\",\"max_payload\":100}".utf8)), .ok, .ping,
        .message(
            subscription: 9, NATSMessage(subject: NATSSubject(unchecked: "a.b"), payload: Array("hel\r\n".utf8))),
        .message(
            subscription: 10,
            NATSMessage(subject: NATSSubject(unchecked: "a.b"), reply: NATSSubject(unchecked: "_INBOX.1"))),
        .message(subscription: 1, NATSMessage(subject: NATSSubject(unchecked: "a"))),
        .message(
            subscription: 1,
            NATSMessage(
                subject: NATSSubject(unchecked: "a"), reply: NATSSubject(unchecked: "re.ply"),
                headers: NATSHeaders(unchecked: [("A", "b")]), status: NATSStatus(code: 503, description: ""),
                payload: Array("hi".utf8))),
        .pong, .error("Stale Connection"), .message(subscription: 2, NATSMessage(subject: NATSSubject(unchecked: "a"))),
    ]

    @Test("Cut at any place, they are the same")
    func cutAnywhere() throws {
        let bytes = Array(Self.stream.utf8)
        for cut in 0...bytes.count {
            let found = try Self.operations([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(found == Self.expected, "cut at \(cut)")
        }
        let single = try Self.operations(bytes.map { [$0] })
        #expect(single == Self.expected)
    }

    @Test(
        "Numbers that are none, or too large, are a violation",
        arguments: [
            "MSG a 1 -1\r\n", "MSG a 1 +1\r\n", "MSG a 1 99999999999999999999999\r\n",
            "MSG a 18446744073709551616 0\r\n",
            "MSG a x 0\r\n", "MSG a 1 0x1\r\n", "MSG a 1 1.0\r\n", "HMSG a 1 -12 12\r\n", "HMSG a 1 12 -12\r\n",
        ])
    func numbers(line: String) {
        #expect(Self.violation(line) == .badNumber)
    }

    @Test("Sizes beyond what the server announces are a violation before anything is kept")
    func sizes() {
        #expect(Self.violation("MSG a 1 9223372036854775807\r\n") == .messageTooLong)
        #expect(Self.violation("MSG a 1 9999999999999999999\r\n") == .messageTooLong)
        #expect(Self.violation("HMSG a 1 30 20\r\n") == .headersLongerThanMessage)
        #expect(Self.violation("HMSG a 1 70000 80000\r\n") == .headersTooLong)
    }

    @Test(
        "Other lines are a violation",
        arguments: [
            ("HELLO\r\n", ServerViolation.unknownOperation), ("\r\n", .unknownOperation), ("PING\n", .badLineEnd),
            ("\n", .badLineEnd), ("MSG a 1\r\n", .badArguments), ("MSG\r\n", .badArguments),
            ("MSG a 1 b c 5\r\n", .badArguments), ("HMSG a 1 5\r\n", .badArguments),
            ("MSG a 1 2\r\nhiXX", .missingEnd), ("MSG a 1 2\r\nhi\n\n", .missingEnd),
            ("GET / HTTP/1.1\r\n", .unknownOperation),
        ])
    func lines(text: String, violation: ServerViolation) {
        #expect(Self.violation(text) == violation)
    }

    @Test("A line that does not end is refused when it is too long, and only INFO may be long")
    func longLines() throws {
        #expect(Self.violation(String(repeating: "x", count: 4_097)) == .lineTooLong)
        #expect(Self.violation("PING" + String(repeating: " ", count: 4_091) + "\r\n") == .lineTooLong)
        #expect(Self.violation("PING" + String(repeating: " ", count: 4_090) + "\r\n") == nil)
        #expect(Self.violation("INFO " + String(repeating: " ", count: 60_000) + "\r\n") == nil)
        #expect(Self.violation("INFO " + String(repeating: "x", count: 65_536)) == .lineTooLong)
    }

    @Test("A message that is too large is skipped as it comes, and nothing of it is kept")
    func oversized() throws {
        var limits = ProtocolLimits()
        limits.payload = 100
        limits.announcedPayload = 1_000_000
        var parser = ServerParser(limits: limits)
        parser.append(Array("MSG a 7 900000\r\n".utf8))
        for _ in 0..<900 {
            parser.append([UInt8](repeating: 0x0A, count: 1_000))
            let operation = try parser.next()
            #expect(operation == nil)
            #expect(parser.unconsumed <= 1_000)
        }
        parser.append(Array("\r".utf8))
        let early = try parser.next()
        #expect(early == nil)
        parser.append(Array("\nPING\r\n".utf8))
        let operations = [try parser.next(), try parser.next()]
        #expect(operations == [.oversizedMessage(subscription: 7, size: 900_000), .ping])
        #expect(Self.violation("MSG a 7 2000000\r\n", limits) == .messageTooLong)
        // Headers do not count.
        let block = "NATS/1.0\r\nA: " + String(repeating: "b", count: 200) + "\r\n\r\n"
        let found = try Self.operations(
            [
                Array("HMSG a 1 \(block.utf8.count) \(block.utf8.count + 100)\r\n\(block)".utf8),
                [UInt8](repeating: 1, count: 100), [0x0D, 0x0A],
            ],
            limits)
        #expect(found.count == 1)
        guard case .message? = found.first else { return #expect(Bool(false), "it was skipped") }
    }

    @Test(
        "Messages that another client has published with an invalid subject or invalid headers are told apart, and the rest goes on",
        arguments: [
            "MSG a..b 3 2\r\nhi\r\n", "MSG a.* 3 2\r\nhi\r\n", "MSG a.> 3 2\r\nhi\r\n", "MSG .a 3 2\r\nhi\r\n",
            "MSG a 3 b..c 2\r\nhi\r\n", "HMSG a 3 4 6\r\nNATShi\r\n", "HMSG a 3 15 17\r\nNATS/1.0\r\nA\r\n\r\nhi\r\n",
            "HMSG a 3 0 2\r\nhi\r\n", "HMSG a 3 12 14\r\nHTTP/1.1\r\n\r\nhi\r\n",
        ])
    func invalidMessages(text: String) throws {
        let found = try Self.operations([Array((text + "PING\r\n").utf8)])
        #expect(found == [.invalidMessage(subscription: 3), .ping])
    }

    @Test("Subjects that are not UTF-8 are invalid")
    func encoding() throws {
        let found = try Self.operations([Array("MSG ".utf8) + [0xFF, 0xC0] + Array(" 3 0\r\n\r\n".utf8)])
        #expect(found == [.invalidMessage(subscription: 3)])
    }

    @Test("Control characters in an error's text do not reach a log")
    func errorText() throws {
        let found = try Self.operations([Array("-ERR 'a\u{1B}[31m\tb'\r\n".utf8)])
        #expect(found == [.error("a\u{FFFD}[31m\u{FFFD}b")])
    }

    @Test("Random cuts and random bytes never trap, and memory is bounded", arguments: 0..<50)
    func garbage(seed: UInt64) {
        var random = SplitMix(seed)
        var limits = ProtocolLimits()
        limits.payload = 64
        limits.announcedPayload = 256
        limits.headers = 128
        for _ in 0..<50 {
            var parser = ServerParser(limits: limits)
            var bytes = Array(Self.stream.utf8)
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var rest = bytes[...]
            loop: while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                parser.append(rest.prefix(count))
                rest = rest.dropFirst(count)
                while true {
                    do { if try parser.next() == nil { break } } catch { break loop }
                }
                #expect(parser.unconsumed <= limits.infoLine)
            }
        }
    }
}

/// A repeatable generator.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
