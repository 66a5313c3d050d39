import RTCWire
import Testing

@testable import RTC

@Suite("URLs of ICE servers (RFC 7064, RFC 7065)")
struct ICEServerURLTests {
    typealias Accepted = (String, ICEServerURL.Scheme, String, UInt16, ICEServerURL.Transport, String)

    @Test(
        "What the RFCs allow is taken apart, and written in one form",
        arguments: [
            // The examples of RFC 7064, appendix A, and RFC 7065, appendix A.
            ("stun:example.org", .stun, "example.org", 3_478, .udp, "stun:example.org"),
            ("stuns:example.org", .stuns, "example.org", 5_349, .tcp, "stuns:example.org"),
            ("stun:example.org:8000", .stun, "example.org", 8_000, .udp, "stun:example.org:8000"),
            ("turn:example.org", .turn, "example.org", 3_478, .udp, "turn:example.org"),
            ("turns:example.org", .turns, "example.org", 5_349, .tcp, "turns:example.org"),
            ("turn:example.org:8000", .turn, "example.org", 8_000, .udp, "turn:example.org:8000"),
            (
                "turn:example.org?transport=udp", .turn, "example.org", 3_478, .udp, "turn:example.org?transport=udp"
            ),
            (
                "turn:example.org?transport=tcp", .turn, "example.org", 3_478, .tcp, "turn:example.org?transport=tcp"
            ),
            (
                "turns:example.org?transport=tcp", .turns, "example.org", 5_349, .tcp,
                "turns:example.org?transport=tcp"
            ),
            // Schemes and transports are the same in capitals (RFC 3986, section 6.2.2.1; RFC 5234, section 2.3).
            ("STUN:Example.ORG:1", .stun, "Example.ORG", 1, .udp, "stun:Example.ORG:1"),
            ("Turns:a?Transport=TCP", .turns, "a", 5_349, .tcp, "turns:a?transport=tcp"),
            ("turns:a:443?transport=udp", .turns, "a", 443, .udp, "turns:a:443?transport=udp"),
            ("stun:a:3478", .stun, "a", 3_478, .udp, "stun:a"),
            ("stun:a:065535", .stun, "a", 65_535, .udp, "stun:a:65535"),
            ("stun:192.0.2.1:65535", .stun, "192.0.2.1", 65_535, .udp, "stun:192.0.2.1:65535"),
            ("stun:[2001:db8::1]", .stun, "2001:db8::1", 3_478, .udp, "stun:[2001:db8::1]"),
            ("turn:[::ffff:192.0.2.1]:9", .turn, "::ffff:192.0.2.1", 9, .udp, "turn:[::ffff:192.0.2.1]:9"),
            ("stun:host.example.", .stun, "host.example.", 3_478, .udp, "stun:host.example."),
            ("stun:4.example", .stun, "4.example", 3_478, .udp, "stun:4.example"),
            ("stun:under_score", .stun, "under_score", 3_478, .udp, "stun:under_score"),
        ] as [Accepted])
    func accepted(case expected: Accepted) throws {
        let (text, scheme, host, port, transport, canonical) = expected
        let url = try ICEServerURL(text)
        #expect(url.scheme == scheme)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.transport == transport)
        #expect(url.description == canonical)
        #expect(try ICEServerURL(canonical) == url)
    }

    @Test(
        "What they do not allow is refused, with the reason and with what to write",
        arguments: [
            ("", "is empty"),
            (":", "none of the schemes"),
            ("stun", "“stun”, which has none of the schemes"),
            ("example.com", "“example.com”, which has none of the schemes"),
            ("example.com:3478", "“example.com:…”, which has none of the schemes"),
            ("https://example.com", "“https:…”, which has none"),
            ("tel:+1", "none of the schemes"),
            ("stun:", "host is missing"),
            ("stun::3478", "host is missing"),
            ("turn:?transport=udp", "host is missing"),
            ("stun://example.com", "“//”"),
            ("turn:user@example.com", "“@”"),
            ("turn:example.com,user,password", "comma"),
            ("stun:exa mple.com", "characters that a URL does not have"),
            ("stun:exämple.com", "characters that a URL does not have"),
            ("stun:\u{0}", "characters that a URL does not have"),
            ("stun:ex%61mple.com", "letters, digits"),
            ("stun:example.com/path", "letters, digits"),
            ("stun:example.com#x", "letters, digits"),
            ("stun:a..b", "letters, digits"),
            ("stun:" + String(repeating: "a", count: 64), "too long"),
            ("stun:" + String(repeating: "a.", count: 128), "too long"),
            ("stun:256.1.1.1", "IPv4 address is malformed"),
            ("stun:1.2.3", "IPv4 address is malformed"),
            ("stun:01.2.3.4", "IPv4 address is malformed"),
            ("stun:0x7f000001", "IPv4 address is malformed"),
            ("stun:2001:db8::1", "no brackets: write “stun:[2001:db8::1]:3478”"),
            ("turns:::1", "no brackets: write “turns:[::1]:5349”"),
            ("stun:[2001:db8::1", "bracket is not closed"),
            ("stun:[]:1", "IPv6 address is malformed"),
            ("stun:[192.0.2.1]", "IPv6 address is malformed"),
            ("stun:[v1.a]", "IPv6 address is malformed"),
            ("stun:[fe80::1%25eth0]", "has a zone"),
            ("stun:[::1]x", "something behind the host"),
            ("stun:example.com:", "“stun:example.com…”, whose port"),
            ("stun:example.com:0", "“stun:example.com:0”, whose port"),
            ("stun:example.com:65536", "whose port"),
            ("stun:example.com:+1", "whose port"),
            ("stun:example.com:-1", "whose port"),
            ("stun:example.com:١", "characters that a URL does not have"),
            ("turn:[::1]:99999", "write “turn:[::1]:3478”"),
            ("stun:example.com?transport=udp", "only “turn:” and “turns:”"),
            ("stuns:example.com?", "only “turn:” and “turns:”"),
            ("turn:example.com?", "write “?transport=udp”"),
            ("turn:example.com?transport=", "write “?transport=udp”"),
            ("turn:example.com?transport=sctp", "write “?transport=udp”"),
            ("turn:example.com?transport=tls", "TLS is the scheme “turns:”"),
            ("turn:example.com?transport=udp&x=1", "write “?transport=udp”"),
            ("turn:a?b?c", "write “?transport=udp”"),
        ])
    func refused(text: String, reason: String) {
        let parseError = #expect(throws: ICEServerURL.ParseError.self) { try ICEServerURL(text) }
        #expect(parseError?.description.contains(reason) == true, "\(parseError?.description ?? "none")")
        #expect(parseError?.remedy.isEmpty == false)
    }

    @Test(
        "What might be a password is not repeated, wherever it stands",
        arguments: [
            "turn:user:hunter2@example.com", "turn:example.com,user,hunter2", "turn:example.com?credential=hunter2",
            "turn:example.com:hunter2", "turn:user:hunter2", "user@hunter2",
            "https://user:hunter2@example.com", "turn:[::1]hunter2", "turn:example.com/hunter2", "turn:[hunter2",
            "stun:example.com?hunter2", "user,hunter2", "turn://user:hunter2@example.com", "turn:é,user,hunter2",
        ])
    func passwords(text: String) {
        let parseError = #expect(throws: ICEServerURL.ParseError.self) { try ICEServerURL(text) }
        #expect(parseError?.description.contains("hunter2") == false)
        let error = #expect(throws: RTCError.self) {
            try ICEServerAddress(PeerConnection.ICEServer(url: text), number: 0)
        }
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("Bytes of any kind are taken or refused, never worse; and what is taken can be written and read again")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        let pieces = "stun: turn: stuns [ ] : :: ? transport= udp @ / , 1 65535 é a.b 1.2.3.4 \u{0}".split(
            separator: " ")
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement()! }.joined()
            guard let url = try? ICEServerURL(text) else { continue }
            #expect(!url.host.isEmpty && url.port > 0)
            #expect(try ICEServerURL(url.description) == url)
        }
    }
}
