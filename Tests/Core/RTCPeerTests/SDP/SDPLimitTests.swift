import RTCPeer
import Testing

@Suite("What is read of a description is bounded")
struct SDPLimitTests {
    private let head = "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nt=0 0\n"

    private func code(_ text: String) -> SDPError.Code? {
        do throws(SDPError) {
            _ = try SDP(parsing: text)
            return nil
        } catch { return error.code }
    }

    @Test("the size of the text")
    func size() {
        let filler = String(repeating: "x", count: SDPLimits.size - head.utf8.count - 3)
        #expect(code(head + "a=" + filler + "\n") == nil)
        #expect(code(head + "a=x" + filler + "\n") == .tooLarge)
    }

    @Test("the lines of a section, and of the text")
    func lines() {
        #expect(code(head + String(repeating: "a=x\n", count: SDPLimits.linesPerSection - 1)) == nil)
        #expect(code(head + String(repeating: "a=x\n", count: SDPLimits.linesPerSection)) == .tooLarge)
        let section = "m=a 9 x 0\n" + String(repeating: "a=x\n", count: 2_000)
        #expect(code(head + String(repeating: section, count: 4)) == nil)
        #expect(code(head + String(repeating: section, count: 5)) == .tooLarge)
    }

    @Test("the sections")
    func sections() {
        #expect(code(head + String(repeating: "m=a 9 x 0\n", count: SDPLimits.sections)) == nil)
        #expect(code(head + String(repeating: "m=a 9 x 0\n", count: SDPLimits.sections + 1)) == .tooLarge)
    }

    @Test("the candidates of a section, and the length of each")
    func candidates() {
        let candidate = "a=candidate:1 1 udp 1 192.0.2.1 1 typ host\n"
        let full = "m=a 9 x 0\n" + String(repeating: candidate, count: SDPLimits.candidatesPerSection)
        #expect(code(head + full + full) == nil)
        #expect(code(head + full + candidate) == .tooLarge)
        #expect(
            code(head + "a=candidate:" + String(repeating: "x", count: SDPLimits.candidateSize) + "\n") == .tooLarge)
    }

    @Test("the largest descriptions are read quickly, however odd", .timeLimit(.minutes(1)))
    func odd() {
        let odd = [
            String(repeating: "\n", count: SDPLimits.size), String(repeating: "\r\n", count: 100_000),
            head + String(repeating: "\n", count: 200_000), head + "a=group:" + String(repeating: "a ", count: 100_000),
            head + "a=fingerprint:sha-256 " + String(repeating: "00:", count: 80_000),
            head + "a=simulcast:send " + String(repeating: "a,b;", count: 60_000),
            head + "m=a 9 x " + String(repeating: "0 ", count: 100_000) + "0\n",
            head + "a=x:" + String(repeating: "\u{301}", count: 100_000),
        ]
        for text in odd { _ = code(text) }
    }
}
