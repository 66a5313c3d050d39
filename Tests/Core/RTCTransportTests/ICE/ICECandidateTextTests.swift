import RTCTransport
import RTCWire
import Testing

@Suite("ICE: candidate lines (RFC 8839, section 5.1)")
struct ICECandidateTextTests {
    @Test(
        "Lines of browsers and libraries survive a round trip",
        arguments: [
            "candidate:1 1 udp 2130706431 192.0.2.1 54400 typ host",
            "candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.0.1 rport 46154 generation 0"
                + " network-cost 999 ufrag Abc/+9",
            "candidate:0 1 udp 2122252543 1f4712db-ea17-4bcf-a596-105139dfd8bf.local 49737 typ host",
            "candidate:4 1 tcp 2105458943 192.0.2.1 9 typ host tcptype active",
            "candidate:5 1 tcp 1 2001:db8::1 443 typ relay raddr 0.0.0.0 rport 0 tcptype so ufrag xyzw",
            "candidate:Hb69f1d52 2 udp 1 198.51.100.2 65535 typ prflx raddr 192.0.2.9 rport 1",
        ])
    func roundTrip(line: String) throws {
        let candidate = try ICECandidate(parsing: line)
        #expect(candidate.description == line)
        let again = try ICECandidate(parsing: "a=" + line + "\r\n")
        #expect(again == candidate)
    }

    @Test("Every field is read")
    func fields() throws {
        let candidate = try ICECandidate(
            parsing: "CANDIDATE:a+/1 1 UDP 42 203.0.113.7 46154 TYP SRFLX RADDR 10.0.0.1 rport 7 x y ufrag Abcd z 1")
        #expect(candidate.foundation == "a+/1")
        #expect(candidate.component == 1)
        #expect(candidate.transport == .udp)
        #expect(candidate.priority == 42)
        #expect(candidate.transportAddress == TransportAddress("203.0.113.7:46154"))
        #expect(candidate.type == .serverReflexive)
        #expect(candidate.relatedAddress == IPAddress(10, 0, 0, 1))
        #expect(candidate.relatedPort == 7)
        #expect(candidate.usernameFragment == "Abcd")
        #expect(
            candidate.extensions == [
                ICECandidateExtension(name: "x", value: "y"), ICECandidateExtension(name: "z", value: "1"),
            ])
        let name = try ICECandidate(parsing: "candidate:1 1 udp 1 host-1.example.org 5 typ host")
        #expect(name.address == .name("host-1.example.org"))
        let zoned = try ICECandidate(parsing: "candidate:1 1 udp 1 fe80::1%eth0 5 typ host")
        #expect(zoned.address == .ip(IPAddress(v6High: 0xfe80 << 48, low: 1)))
    }

    @Test(
        "A wrong line says which field is wrong",
        arguments: [
            ("", .notACandidate), ("candidate:", .notACandidate), ("v=0", .notACandidate),
            ("candidate:1 1 udp 1 192.0.2.1 1 typ", .missingField),
            ("candidate:1 1 udp 1 192.0.2.1 1 typ host raddr", .missingField),
            ("candidate:! 1 udp 1 192.0.2.1 1 typ host", .foundation),
            ("candidate:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1 udp 1 192.0.2.1 1 typ host", .foundation),
            ("candidate:1 0 udp 1 192.0.2.1 1 typ host", .component),
            ("candidate:1 257 udp 1 192.0.2.1 1 typ host", .component),
            ("candidate:1 1 sctp 1 192.0.2.1 1 typ host", .transport),
            ("candidate:1 1 udp -1 192.0.2.1 1 typ host", .priority),
            ("candidate:1 1 udp 4294967296 192.0.2.1 1 typ host", .priority),
            ("candidate:1 1 udp 1 192.0.2.256 1 typ host", .address),
            ("candidate:1 1 udp 1 ::g 1 typ host", .address),
            ("candidate:1 1 udp 1 a/b 1 typ host", .address),
            ("candidate:1 1 udp 1 192.0.2.1 65536 typ host", .port),
            ("candidate:1 1 udp 1 192.0.2.1 +1 typ host", .port),
            ("candidate:1 1 udp 1 192.0.2.1 1 typ hosts", .type),
            ("candidate:1 1 udp 1 192.0.2.1 1 type host", .type),
            ("candidate:1 1 tcp 1 192.0.2.1 1 typ host tcptype both", .tcpType),
            ("candidate:1 1 udp 1 192.0.2.1 1 typ host x y\r\na=ice-lite", .controlCharacter),
            ("candidate:1 1 udp 1 192.0.2.1 1 typ host ufrag a\u{0}b", .controlCharacter),
        ] as [(String, ICECandidateError.Code)])
    func wrong(line: String, code: ICECandidateError.Code) {
        #expect(throws: ICECandidateError(code)) { try ICECandidate(parsing: line) }
        #expect(!ICECandidateError(code).description.isEmpty)
    }

    @Test("Overlong lines and ten thousand mutated ones are refused or read, never worse")
    func mutated() {
        #expect(throws: ICECandidateError(.tooLong)) {
            try ICECandidate(parsing: "candidate:" + String(repeating: "x ", count: 600))
        }
        let line = Array("candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.0.1 rport 4".utf8)
        let random = SeededRandom(seed: 8_839)
        for _ in 0..<10_000 {
            var bytes = line
            for _ in 0...random.next(below: 3) {
                bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let candidate = try? ICECandidate(parsing: text) {
                let again = try? ICECandidate(parsing: candidate.description)
                #expect(again == candidate)
            }
        }
    }

    @Test("Our credentials are well formed and random")
    func credentials() {
        let random = SeededRandom(seed: 1)
        let credentials = (0..<100).map { _ in ICECredentials.random(from: random) }
        #expect(credentials.allSatisfy { $0.isWellFormed })
        #expect(Set(credentials).count == 100)
        #expect(!ICECredentials(usernameFragment: "abc", password: credentials[0].password).isWellFormed)
        #expect(!ICECredentials(usernameFragment: "abcd", password: "short").isWellFormed)
        #expect(!ICECredentials(usernameFragment: "ab:d", password: credentials[0].password).isWellFormed)
    }
}
