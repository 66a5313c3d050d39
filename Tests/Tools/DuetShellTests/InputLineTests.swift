import RTC
import RTCPeer
import Testing

@testable import DuetShell

@Suite("Lines of standard input")
struct InputLineTests {
    private func parse(_ line: String) throws -> InputLine {
        try InputLine(parsing: Array(line.utf8))
    }

    @Test("Descriptions")
    func descriptions() throws {
        #expect(
            try parse(#"{"type":"offer","sdp":"v=0\r\n"}"#)
                == .signal(.description(SessionDescription(type: .offer, sdp: "v=0\r\n"))))
        #expect(
            try parse(#"{"sdp":"","type":"answer"}"#)
                == .signal(.description(SessionDescription(type: .answer, sdp: ""))))
    }

    @Test("Candidates, whole and with what may be missing")
    func candidates() throws {
        #expect(
            try parse(#"{"candidate":"candidate:1","sdpMid":"0","sdpMLineIndex":0}"#)
                == .signal(
                    .candidate(ICECandidateInit(candidate: "candidate:1", sdpMid: "0", sdpMLineIndex: 0))))
        #expect(
            try parse(#"{"candidate":"x","sdpMid":null,"usernameFragment":"u"}"#)
                == .signal(.candidate(ICECandidateInit(candidate: "x", usernameFragment: "u"))))
        #expect(try parse(#"{"candidate":""}"#) == .signal(.candidate(ICECandidateInit(candidate: ""))))
    }

    @Test("Commands")
    func commands() throws {
        #expect(
            try parse(#"{"command":"send","label":"a","text":""}"#)
                == .command(.send(label: "a", .text(""))))
        #expect(
            try parse(#"{"command":"send","label":"","base64":"AAEC"}"#)
                == .command(.send(label: "", .binary([0, 1, 2]))))
        #expect(
            try parse(#"{"command":"send","label":"a","base64":""}"#)
                == .command(.send(label: "a", .binary([]))))
        #expect(try parse(#"{"command":"open","label":"a"}"#) == .command(.open(label: "a", .init())))
        #expect(
            try parse(
                #"{"command":"open","label":"a","ordered":false,"maxRetransmits":3,"protocol":"p","negotiated":true,"id":7}"#
            )
                == .command(
                    .open(label: "a", .init(ordered: false, maxRetransmits: 3, protocol: "p", negotiatedID: 7))))
        #expect(
            try parse(#"{"command":"open","label":"a","maxPacketLifeTime":500,"negotiated":false,"id":7}"#)
                == .command(.open(label: "a", .init(maxPacketLifeTime: 500))))
        #expect(
            try parse(#"{"command":"closeChannel","label":"a"}"#) == .command(.closeChannel(label: "a")))
        #expect(try parse(#"{"command":"addTrack","kind":"video"}"#) == .command(.addTrack(.video)))
        #expect(try parse(#"{"command":"removeTrack","kind":"audio"}"#) == .command(.removeTrack(.audio)))
        #expect(try parse(#"{"command":"mute","kind":"audio"}"#) == .command(.mute(.audio)))
        #expect(try parse(#"{"command":"unmute","kind":"video"}"#) == .command(.unmute(.video)))
        #expect(try parse(#"{"command":"restartIce"}"#) == .command(.restartICE))
        #expect(try parse(#"{"command":"close","more":1}"#) == .command(.close))
    }

    @Test(
        "Empty lines and the events of another peer ask for nothing",
        arguments: ["", " \t\r", #"{"event":"stats"}"#])
    func nothing(line: String) throws {
        #expect(try parse(line) == .nothing)
    }

    @Test(
        "Bad lines are refused with a reason in one line",
        arguments: [
            "x", "[]", "1", "null", "{", "{}", #"{"foo":1}"#, #"{"type":"offer"}"#,
            #"{"type":"banana","sdp":""}"#,
            #"{"type":"rollback","sdp":""}"#, #"{"type":1,"sdp":""}"#, #"{"candidate":5}"#,
            #"{"command":"fly"}"#,
            #"{"command":"send","label":"a"}"#, #"{"command":"send","text":"a"}"#, #"{"command":"open"}"#,
            #"{"command":"send","label":"a","base64":"*"}"#,
            #"{"command":"send","label":"a","text":"","base64":""}"#,
            #"{"command":"open","label":"a","negotiated":true}"#,
            #"{"command":"open","label":"a","negotiated":true,"id":65535}"#,
            #"{"command":"open","label":"a","maxRetransmits":-1}"#,
            #"{"command":"open","label":"a","maxRetransmits":1,"maxPacketLifeTime":1}"#,
            #"{"command":"open","label":"a","ordered":"no"}"#,
            #"{"command":"addTrack"}"#, #"{"command":"mute","kind":"smell"}"#, #"{"command":"removeTrack","kind":1}"#,
            #"{"command":"closeChannel","label":1}"#, #"{"candidate":"","sdpMLineIndex":"0"}"#,
            String(repeating: #"{"a":"#, count: 2_000),
        ])
    func bad(line: String) {
        let error = #expect(throws: InputLine.Malformed.self) {
            try InputLine(parsing: Array(line.utf8))
        }
        #expect(error?.description.isEmpty == false && error?.description.contains("\n") == false)
    }

    @Test("Bytes that are no UTF-8 are refused")
    func noText() {
        #expect(throws: InputLine.Malformed.self) { try InputLine(parsing: [0xFF, 0xFE, 0x7B, 0x7D]) }
    }
}
