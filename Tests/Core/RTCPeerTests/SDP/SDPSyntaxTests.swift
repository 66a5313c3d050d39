import RTCPeer
import Testing

@Suite("The text of a description (RFC 8866)")
struct SDPSyntaxTests {
    private static let head = "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nt=0 0\n"

    @Test("the last line end may be missing, and empty lines may follow it", arguments: 0...3)
    func ends(count: Int) throws {
        for end in ["\n", "\r\n"] {
            let sdp = try SDP(
                parsing: Self.head + "m=audio 9 RTP/AVP 0\na=mid:x" + String(repeating: end, count: count))
            #expect(sdp.media.first?.level.mid == "x")
        }
    }

    @Test("a description may have no sections")
    func noSections() throws {
        #expect(try SDP(parsing: Self.head).media.isEmpty)
        #expect(try SDP(parsing: "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=\n").name.isEmpty)
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        let text: String
        let code: SDPError.Code
        let line: Int
        var testDescription: String { "\(code.rawValue) in line \(line)" }
    }

    static let mistakes = [
        Mistake(text: "", code: .missingLine, line: 1),
        Mistake(text: "v=0\n", code: .missingLine, line: 2),
        Mistake(text: "o=- 1 1 IN IP4 1.1.1.1\n", code: .unexpectedLine, line: 1),
        Mistake(text: "v=1\n", code: .invalidValue, line: 1),
        Mistake(text: "v=0\ns=-\n", code: .unexpectedLine, line: 2),
        Mistake(text: "v=0\no=- 1 1 IN IP4\ns=-\n", code: .invalidValue, line: 2),
        Mistake(text: "v=0\no=- 1  1 IN IP4 x\ns=-\n", code: .invalidValue, line: 2),
        Mistake(text: "v=0\nt=0 0\n", code: .missingLine, line: 2),
        Mistake(text: "v=0\no=- 1 1 IN IP4 x\nt=0 0\n", code: .missingLine, line: 3),
        Mistake(text: head + "v=0\n", code: .unexpectedLine, line: 5),
        Mistake(text: head + "x=1\n", code: .unexpectedLine, line: 5),
        Mistake(text: head + "a\n", code: .malformedLine, line: 5),
        Mistake(text: head + "audio\n", code: .malformedLine, line: 5),
        Mistake(text: head + "\na=x\n", code: .malformedLine, line: 5),
        Mistake(text: head + "a=x\u{0}\n", code: .malformedLine, line: 5),
        Mistake(text: head + "a=x\ry\n", code: .malformedLine, line: 5),
        Mistake(text: head + "a=\n", code: .malformedLine, line: 5),
        Mistake(text: head + "a=:x\n", code: .malformedLine, line: 5),
        Mistake(text: head + "a=two words\n", code: .malformedLine, line: 5),
        Mistake(text: head + "m=audio 9 RTP/AVP\n", code: .invalidValue, line: 5),
        Mistake(text: head + "m=audio 65536 RTP/AVP 0\n", code: .invalidValue, line: 5),
        Mistake(text: head + "m=audio +9 RTP/AVP 0\n", code: .invalidValue, line: 5),
        Mistake(text: head + "m=audio 9/x RTP/AVP 0\n", code: .invalidValue, line: 5),
        Mistake(text: head + "m=audio 9 RTP/AVP 0 \n", code: .invalidValue, line: 5),
        Mistake(text: head + "m=audio 9 RTP/AVP 0\nt=0 0\n", code: .unexpectedLine, line: 6),
        Mistake(text: head + "a=ice-ufrag:abc\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=ice-ufrag:ab d\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=ice-ufrag\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=ice-pwd:012345678901234567890\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=ice-pwd:0123456789012345678901!\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=ice-ufrag:\(String(repeating: "u", count: 257))\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=setup:both\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=fingerprint:sha-256 00:11\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=fingerprint:sha-256\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=sctp-port:65536\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=max-message-size:-1\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=max-message-size:99999999999999999999\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=mid:\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=mid:a b\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=group:\n", code: .invalidValue, line: 5),
        Mistake(text: head + "a=candidate\n", code: .invalidValue, line: 5),
        Mistake(text: head + "m=audio 9 x 0\na=mid:1\na=mid:1\n", code: .duplicateAttribute, line: 7),
        Mistake(text: head + "m=audio 9 x 0\na=setup:active\na=setup:passive\n", code: .duplicateAttribute, line: 7),
    ]

    @Test("each mistake is named with its line", arguments: mistakes)
    func isNamed(mistake: Mistake) {
        let error = #expect(throws: SDPError.self) { try SDP(parsing: mistake.text) }
        #expect(error?.code == mistake.code)
        #expect(error?.line == mistake.line)
        #expect(error?.description.hasPrefix("line \(mistake.line): ") == true)
    }

    @Test("an attribute of a level may occur again in the next section")
    func perSection() throws {
        let sdp = try SDP(
            parsing: Self.head
                + "a=setup:actpass\nm=a 9 x 0\na=setup:active\na=mid:1\nm=a 9 x 0\na=setup:passive\na=mid:2\n")
        #expect(sdp.media.map(\.level.setup) == [.active, .passive])
        #expect(sdp.session.setup == .actpass)
        #expect(sdp.index(ofMid: "2") == 1)
    }

    @Test("an attribute made of text must be one line")
    func smuggling() {
        #expect(SDPAttribute(name: "x", value: "1\r\na=ice-lite") == nil)
        #expect(SDPAttribute(name: "x\ny", value: nil) == nil)
        #expect(SDPAttribute(name: "", value: nil) == nil)
        #expect(SDPAttribute(name: "ice-ufrag", value: "a") == nil)
        #expect(SDPAttribute(name: "x-flag", value: nil)?.content == .other)
    }
}
