import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("What two kits say to each other")
struct CallSignalTests {
    private static let call = CallIdentifier.random(from: SeededRandom(seed: 1))

    private static let contents: [CallSignal.Content] = [
        .invite(sdp: "v=0\r\n", media: []), .invite(sdp: "v=0\r\n", media: [.audio, .video, .data]), .ringing,
        .answer(sdp: "v=0\r\no=ä/\\\"\u{1F600}"), .busy, .noAnswer, .unavailable,
        .negotiate(SessionDescription(type: .offer, sdp: "v=0\r\n")),
        .negotiate(SessionDescription(type: .answer, sdp: "v=0\r\n")),
        .verify(VerificationMessage(step: .commit, value: [UInt8](repeating: 7, count: 32))),
        .verify(VerificationMessage(step: .nonce, value: [0])),
        .verify(VerificationMessage(step: .reveal, value: [255, 254, 253])),
    ]
    private static let reasons = CallEndReason.allCases.flatMap { reason in
        [CallSignal.Content.reject(reason), .cancel(reason), .hangUp(reason)]
    }

    @Test("is read as it was written, in the same bytes each time", arguments: contents + reasons)
    func roundTrip(content: CallSignal.Content) throws {
        let signal = CallSignal(call: Self.call, content)
        let bytes = signal.encoded()
        #expect(try CallSignal(decoding: bytes) == signal)
        #expect(signal.encoded() == bytes)
    }

    @Test("is JSON as docs/webrtckit.md has it")
    func form() throws {
        func text(_ content: CallSignal.Content) -> String {
            String(decoding: CallSignal(call: Self.call, content).encoded(), as: UTF8.self)
        }
        let call = Self.call.rawValue
        #expect(
            text(.invite(sdp: "a/b\r\n", media: [.audio, .data]))
                == #"{"call":"\#(call)","kind":"invite","media":["audio","data"],"sdp":"a\/b\r\n"}"#
                .replacing(#"\/"#, with: "/"))
        #expect(text(.ringing) == #"{"call":"\#(call)","kind":"ringing"}"#)
        #expect(text(.hangUp(.normal)) == #"{"call":"\#(call)","kind":"hangUp","reason":"normal"}"#)
        #expect(
            text(.negotiate(SessionDescription(type: .offer, sdp: "x")))
                == #"{"call":"\#(call)","kind":"negotiate","sdp":"x","type":"offer"}"#)
        #expect(
            text(.verify(VerificationMessage(step: .reveal, value: [1, 2, 3, 4])))
                == #"{"call":"\#(call)","kind":"verify","step":"reveal","value":"AQIDBA=="}"#)
    }

    @Test("may have members that are not known, and media and reasons")
    func unknownMembers() throws {
        let call = Self.call.rawValue
        func read(_ text: String) throws -> CallSignal.Content { try CallSignal(decoding: Array(text.utf8)).content }
        #expect(try read(#" {"kind":"ringing","call":"\#(call)","sdp":5,"more":{"a":[1]}} "#) == .ringing)
        #expect(try read(#"{"kind":"reject","call":"\#(call)","reason":"tooTired"}"#) == .reject(.normal))
        #expect(try read(#"{"kind":"cancel","call":"\#(call)"}"#) == .cancel(.normal))
        #expect(try read(#"{"kind":"hangUp","call":"\#(call)","reason":null}"#) == .hangUp(.normal))
        #expect(try read(#"{"kind":"hangUp","call":"\#(call)","reason":7}"#) == .hangUp(.normal))
        #expect(
            try read(#"{"kind":"invite","call":"\#(call)","sdp":"x","media":["smell","video","video"]}"#)
                == .invite(sdp: "x", media: [.video]))
        #expect(try read(#"{"kind":"invite","call":"\#(call)","sdp":"x","media":1}"#) == .invite(sdp: "x", media: []))
        #expect(try read(#"{"kind":"invite","call":"\#(call)","sdp":"x"}"#) == .invite(sdp: "x", media: []))
    }

    @Test(
        "is refused by a name for what is wrong with it",
        arguments: [
            ("", .notAnObject), ("{", .notAnObject), ("[]", .notAnObject), ("null", .notAnObject),
            (#""ringing""#, .notAnObject), ("{}", .missing("call")),
            (#"{"kind":"ringing"}"#, .missing("call")), (#"{"kind":"ringing","call":null}"#, .missing("call")),
            (#"{"kind":"ringing","call":5}"#, .invalid("call")),
            (#"{"kind":"ringing","call":"short"}"#, .invalid("call")),
            (#"{"kind":"ringing","call":"0123456789abcde!"}"#, .invalid("call")),
            (#"{"kind":"ringing","call":"0123456789abcdé"}"#, .invalid("call")),
            (#"{"call":"0123456789abcdef"}"#, .missing("kind")),
            (#"{"call":"0123456789abcdef","kind":[]}"#, .invalid("kind")),
            (#"{"call":"0123456789abcdef","kind":"sing"}"#, .unknownKind),
            (#"{"call":"0123456789abcdef","kind":"invite"}"#, .missing("sdp")),
            (#"{"call":"0123456789abcdef","kind":"invite","sdp":""}"#, .invalid("sdp")),
            (#"{"call":"0123456789abcdef","kind":"answer","sdp":{}}"#, .invalid("sdp")),
            (#"{"call":"0123456789abcdef","kind":"negotiate","sdp":"x"}"#, .missing("type")),
            (#"{"call":"0123456789abcdef","kind":"negotiate","type":"offer"}"#, .missing("sdp")),
            (#"{"call":"0123456789abcdef","kind":"negotiate","type":"rollback","sdp":"x"}"#, .invalid("type")),
        ] as [(String, CallSignalError)])
    func malformed(text: String, error: CallSignalError) {
        #expect(throws: error) { try CallSignal(decoding: Array(text.utf8)) }
    }

    @Test(
        "is of a call's verification, and names the call, when nothing else of it can be read",
        arguments: [
            #""value":"AA==""#, #""step":"dance","value":"AA==""#, #""step":"","value":"""#,
            #""step":5,"value":"AA==""#,
            #""step":"nonce""#, #""step":"nonce","value":7"#, #""step":"nonce","value":"*""#,
            #""step":"nonce","value":"\#(String(repeating: "A", count: 88))""#,
        ])
    func badVerification(members: String) throws {
        let call = try #require(CallIdentifier(rawValue: "0123456789abcdef"))
        #expect(throws: CallSignalError.badVerification(call)) {
            try CallSignal(decoding: Array(#"{"call":"0123456789abcdef","kind":"verify",\#(members)}"#.utf8))
        }
    }

    @Test("has bounds: its length, its depth, its identifiers, its encoding")
    func bounds() throws {
        func signal(call: String, filler: Int) -> [UInt8] {
            Array(#"{"call":"\#(call)","kind":"ringing","x":"\#(String(repeating: "x", count: filler))"}"#.utf8)
        }
        let rest = signal(call: Self.call.rawValue, filler: 0).count
        let largest = signal(call: Self.call.rawValue, filler: CallSignal.maximumSize - rest)
        #expect(largest.count == 65_536)
        #expect(try CallSignal(decoding: largest).content == .ringing)
        #expect(throws: CallSignalError.tooLarge) { try CallSignal(decoding: largest + [32]) }

        #expect(throws: Never.self) {
            try CallSignal(decoding: signal(call: String(repeating: "a", count: 64), filler: 1))
        }
        #expect(throws: CallSignalError.invalid("call")) {
            try CallSignal(decoding: signal(call: String(repeating: "a", count: 65), filler: 1))
        }
        func nested(_ depth: Int) -> [UInt8] {
            let (open, close) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
            return Array(#"{"call":"\#(Self.call.rawValue)","kind":"ringing","x":\#(open)\#(close)}"#.utf8)
        }
        #expect(try CallSignal(decoding: nested(15)).content == .ringing)
        #expect(throws: CallSignalError.notAnObject) { try CallSignal(decoding: nested(16)) }
        #expect(throws: CallSignalError.notAnObject) { try CallSignal(decoding: nested(30_000)) }
        #expect(throws: CallSignalError.notAnObject) {
            try CallSignal(decoding: nested(1).flatMap { byte -> [UInt8] in [byte, 0] })
        }
        #expect(throws: CallSignalError.notAnObject) {
            try CallSignal(
                decoding: Array(#"{"call":"0123456789abcdef","kind":"ringing","x":""#.utf8) + [0xFF, 34, 125])
        }
    }

    @Test("may be anything at all and traps nowhere")
    func garbage() throws {
        let random = SeededRandom(seed: 7)
        let valid = (Self.contents + Self.reasons).map { CallSignal(call: Self.call, $0).encoded() }
        var readable = 0
        for round in 0..<4_000 {
            var bytes = valid[round % valid.count]
            for _ in 0...random.next(below: 4) {
                let place = Int(random.next(below: UInt64(bytes.count)))
                switch random.next(below: 3) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
                if bytes.isEmpty { break }
            }
            if (try? CallSignal(decoding: bytes)) != nil { readable += 1 }
            _ = try? CallCandidate(decoding: bytes)
        }
        #expect(readable > 0)
    }
}

@Suite("A candidate between two kits")
struct CallCandidateTests {
    private static let call = CallIdentifier.random(from: SeededRandom(seed: 1))

    @Test(
        "is read as it was written",
        arguments: [
            ICECandidateInit(candidate: ""),
            ICECandidateInit(candidate: "candidate:1 1 udp 1 192.0.2.1 5 typ host", sdpMid: "0"),
            ICECandidateInit(candidate: "x", sdpMid: "a", sdpMLineIndex: 3, usernameFragment: "abcd"),
        ])
    func roundTrip(candidate: ICECandidateInit) throws {
        let coded = CallCandidate(call: Self.call, candidate)
        #expect(try CallCandidate(decoding: coded.encoded()) == coded)
        #expect(coded.encoded() == coded.encoded())
    }

    @Test("has the members of the W3C's RTCIceCandidateInit, of which `null` is none")
    func form() throws {
        let call = Self.call.rawValue
        let text =
            #"{"call":"\#(call)","candidate":"x","sdpMLineIndex":0,"sdpMid":null,"usernameFragment":null,"y":1}"#
        #expect(
            try CallCandidate(decoding: Array(text.utf8))
                == CallCandidate(call: Self.call, ICECandidateInit(candidate: "x", sdpMLineIndex: 0)))
        let full = ICECandidateInit(candidate: "x", sdpMid: "0", sdpMLineIndex: 0, usernameFragment: "f")
        #expect(
            String(decoding: CallCandidate(call: Self.call, full).encoded(), as: UTF8.self)
                == #"{"call":"\#(call)","candidate":"x","sdpMLineIndex":0,"sdpMid":"0","usernameFragment":"f"}"#)
    }

    @Test(
        "is refused by a name for what is wrong with it",
        arguments: [
            ("[]", .notAnObject), ("{}", .missing("call")), (#"{"call":"0123456789abcdef"}"#, .missing("candidate")),
            (#"{"call":"0123456789abcdef","candidate":5}"#, .invalid("candidate")),
            (#"{"call":"0123456789abcdef","candidate":"","sdpMLineIndex":-1}"#, .invalid("sdpMLineIndex")),
            (#"{"call":"0123456789abcdef","candidate":"","sdpMLineIndex":65536}"#, .invalid("sdpMLineIndex")),
            (#"{"call":"0123456789abcdef","candidate":"","sdpMLineIndex":0.5}"#, .invalid("sdpMLineIndex")),
            (#"{"call":"0123456789abcdef","candidate":"","sdpMid":{}}"#, .invalid("sdpMid")),
        ] as [(String, CallSignalError)])
    func malformed(text: String, error: CallSignalError) {
        #expect(throws: error) { try CallCandidate(decoding: Array(text.utf8)) }
    }

    @Test("is at most 2 KiB")
    func size() throws {
        func bytes(_ filler: Int) -> [UInt8] {
            CallCandidate(call: Self.call, ICECandidateInit(candidate: String(repeating: "x", count: filler))).encoded()
        }
        let rest = bytes(0).count
        #expect(throws: Never.self) { try CallCandidate(decoding: bytes(2_048 - rest)) }
        #expect(throws: CallSignalError.tooLarge) { try CallCandidate(decoding: bytes(2_049 - rest)) }
    }
}

@Suite("A call's identifier")
struct CallIdentifierTests {
    @Test("has 22 characters of base64url, other ones each time, and the same ones from the same seed")
    func random() {
        let source = SeededRandom(seed: 5)
        let identifiers = (0..<1_000).map { _ in CallIdentifier.random(from: source) }
        #expect(Set(identifiers).count == 1_000)
        #expect(identifiers.allSatisfy { $0.rawValue.utf8.count == 22 && CallIdentifier(rawValue: $0.rawValue) == $0 })
        #expect(CallIdentifier.random(from: SeededRandom(seed: 5)) == identifiers[0])
        // All characters come, so all bits are in it.
        #expect(Set(identifiers.flatMap { $0.rawValue.utf8.dropLast() }).count == 64)
        #expect(Set(identifiers.map { $0.rawValue.last }).count == 4)
    }

    @Test("is ordered by its bytes")
    func order() throws {
        let ordered = [
            "-000000000000000", "0000000000000000", "A000000000000000", "_000000000000000", "a000000000000000",
        ]
        let identifiers = ordered.compactMap { CallIdentifier(rawValue: $0) }
        #expect(identifiers.count == 5 && identifiers.shuffled().sorted() == identifiers)
    }
}
