import Foundation
import RTCPeer
import Testing

@testable import WebRTCKit

@Suite("What a server may know of a signal")
struct SignalSummaryTests {
    private func data(_ content: CallSignal.Content) throws -> Data {
        let call = try #require(CallIdentifier(rawValue: "call-0123456789abcdef"))
        return Data(CallSignal(call: call, content).encoded())
    }

    @Test("Every kind of signal has its kind, its call, and the media of an invitation alone")
    func kinds() throws {
        let step = VerificationMessage(step: .nonce, value: [UInt8](repeating: 7, count: 32))
        let contents: [CallSignal.Content] = [
            .invite(sdp: "v=0", media: [.audio, .video]), .ringing, .answer(sdp: "v=0"), .reject(.declined), .busy,
            .cancel(.cancelled), .hangUp(.normal), .negotiate(SessionDescription(type: .offer, sdp: "v=0")),
            .verify(step), .noAnswer, .unavailable,
        ]
        var kinds: [SignalSummary.Kind] = []
        for content in contents {
            let summary = try #require(SignalSummary(try data(content)))
            kinds.append(summary.kind)
            // The name that the article gives to servers in other languages.
            #expect(summary.kind.rawValue == content.kind)
            #expect(summary.call.rawValue == "call-0123456789abcdef")
            #expect(summary.media == (summary.kind == .invite ? [.audio, .video] : []))
        }
        #expect(kinds == SignalSummary.Kind.allCases)
    }

    @Test(
        "What is no signal, or one of a later version, has no summary",
        arguments: [
            "", "{", "[]", #"{"kind": "invite"}"#, #"{"call": "call-0123456789abcdef", "kind": "later"}"#,
            #"{"call": "call-0123456789abcdef", "candidate": "candidate:1"}"#, #"{"call": "short", "kind": "ringing"}"#,
        ])
    func others(text: String) {
        #expect(SignalSummary(Data(text.utf8)) == nil)
    }

    @Test("A server's signal in the article's words ends the ringing on the other devices")
    func cancelsElsewhere() throws {
        let json = #"{"call": "call-0123456789abcdef", "kind": "cancel", "reason": "answeredElsewhere"}"#
        let signal = try CallSignal(decoding: Array(json.utf8))
        #expect(signal.content == .cancel(.answeredElsewhere))
        #expect(SignalSummary(Data(json.utf8))?.kind == .cancel)
    }
}
