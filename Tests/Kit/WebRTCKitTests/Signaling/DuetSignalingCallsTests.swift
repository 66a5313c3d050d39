import Foundation
import RTCPeer
import Testing

@testable import RTCSignaling
@testable import WebRTCKit

@Suite("What kits say, in the words of a Duet server")
struct DuetSignalingCallsTests {
    private static let call = "call-0123456789abcdef"
    private var bob: SignalingPeer {
        get throws {
            SignalingPeer(
                user: try #require(UserID(rawValue: "bob")), device: try #require(SignalingDeviceID(rawValue: "x7")))
        }
    }

    private func make(_ lifetime: Double = 60) -> DuetSignalingCalls { DuetSignalingCalls(lifetime: lifetime) }

    private func signal(_ content: CallSignal.Content, _ call: String = call) throws -> CallSignal {
        CallSignal(call: try #require(CallIdentifier(rawValue: call)), content)
    }

    private func candidate(_ text: String, mid: String? = "0") throws -> DuetSignalingCalls.Candidate {
        DuetSignalingCalls.Candidate(
            call: try #require(CallIdentifier(rawValue: Self.call)), ICECandidateInit(candidate: text, sdpMid: mid))
    }

    /// The type of each message, as it stands in the JSON.
    private func types(_ outgoing: [DuetSignalingCalls.Outgoing]) throws -> [String] {
        try outgoing.map { outgoing in
            switch outgoing {
            case .candidate: return "candidate"
            case .message(let message):
                let json = try JSONSerialization.jsonObject(with: Data(Envelope(message, seq: 1).json()))
                return try #require((json as? [String: Any])?["type"] as? String)
            }
        }
    }

    @Test("An invitation has the kit's identifier, its offer as SDP, its media and its time to ring")
    func invite() throws {
        var calls = make(17)
        let outgoing = try calls.send(signal(.invite(sdp: "v=0", media: [.audio, .data])), to: "bob/x7")
        guard case .message(.invite(let invite))? = outgoing.first else { throw Missing() }
        #expect(outgoing.count == 1 && invite.call.rawValue == Self.call && invite.to.description == "bob/x7")
        #expect(invite.lifetime == 17 && invite.media == [.audio, .data] && !invite.again)
        #expect(invite.description == .sdp(type: .offer, sdp: "v=0"))
    }

    @Test("The time to ring is what the server takes, whatever was asked for")
    func lifetimes() throws {
        for (asked, got) in [(0.0, 1.0), (-5, 1), (60, 60), (1_000, 120)] {
            var calls = make(asked)
            let outgoing = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
            guard case .message(.invite(let invite))? = outgoing.first else { throw Missing() }
            #expect(invite.lifetime == got)
        }
    }

    @Test("Everything else has its message too")
    func others() throws {
        let contents: [(CallSignal.Content, String?)] = [
            (.ringing, "ringing"), (.answer(sdp: "v=0"), "answer"), (.reject(.declined), "reject"), (.busy, "busy"),
            (.cancel(.cancelled), "cancel"), (.hangUp(.normal), "hangup"),
            (.negotiate(SessionDescription(type: .offer, sdp: "v=0")), "negotiate"),
            (.negotiate(SessionDescription(type: .answer, sdp: "v=0")), "negotiate"),
            (.verify(VerificationMessage(step: .nonce, value: [1, 2])), "signal"), (.noAnswer, nil),
            (.unavailable, nil),
        ]
        for (content, type) in contents {
            var calls = make()
            #expect(try types(calls.send(signal(content), to: "bob")) == (type.map { [$0] } ?? []))
        }
    }

    @Test("A verification goes as JSON with step and value, and comes back as it was")
    func verification() throws {
        var calls = make()
        let message = VerificationMessage(step: .commit, value: Array(0..<32))
        let outgoing = try calls.send(signal(.verify(message)), to: "bob")
        guard case .message(.signal(let sent))? = outgoing.first else { throw Missing() }
        #expect(sent.kind?.rawValue == "verify")
        let value = Data(message.value).base64EncodedString()
        #expect(String(decoding: sent.data, as: UTF8.self) == #"{"step":"commit","value":"\#(value)"}"#)
        let id = try #require(CallID(rawValue: Self.call))
        let reaction = calls.receive(
            .signal(IncomingSignal(call: id, from: try bob, polite: true, kind: sent.kind, data: sent.data)))
        guard case .signal(let signal, "bob", true, _)? = reaction.deliveries.first else { throw Missing() }
        #expect(signal.content == .verify(message))
        // The same for a delegate that is given bytes.
        #expect(VerificationData.signal(call: Self.call, data: sent.data) == signal.encoded())
    }

    @Test(
        "A verification that cannot be read comes to the kit as one that it cannot read",
        arguments: ["", "{", "[]", "7", #"{"step":1}"#, #"{"step":"commit"}"#, #"{"step":null,"value":[]}"#, "\u{0}"])
    func badVerification(data: String) throws {
        var calls = make()
        let id = try #require(CallID(rawValue: Self.call))
        let kind = CallReason(rawValue: "verify")
        let reaction = calls.receive(
            .signal(IncomingSignal(call: id, from: try bob, polite: true, kind: kind, data: Array(data.utf8))))
        guard case .badVerification(let call, "bob", true)? = reaction.deliveries.first else { throw Missing() }
        #expect(call.rawValue == Self.call)
        // A delegate that is given bytes is given what it cannot read either.
        let bytes = VerificationData.signal(call: Self.call, data: Array(data.utf8))
        #expect(throws: CallSignalError.self) { try CallSignal(decoding: bytes) }
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""kind":"verify""#))
    }

    @Test("Signals of other kinds, and outside of calls, are not for the kit")
    func otherSignals() throws {
        var calls = make()
        let id = try #require(CallID(rawValue: Self.call))
        let kind = CallReason(rawValue: "verify")
        for signal in [
            IncomingSignal(call: id, from: try bob, polite: true, kind: nil, data: []),
            IncomingSignal(call: id, from: try bob, polite: true, kind: CallReason(rawValue: "chat"), data: []),
            IncomingSignal(from: try bob, polite: true, kind: kind, data: []),
        ] {
            #expect(calls.receive(.signal(signal)).deliveries.isEmpty)
        }
    }

    @Test("What a server cannot carry is said to be so, and not sent")
    func refused() throws {
        var calls = make()
        let long = String(repeating: "a", count: CallDescription.maximumLength + 1)
        for name in ["", "bob dylan", "bob/", "/x", String(repeating: "b", count: 65)] {
            #expect(throws: CallManagerError.self) {
                try calls.send(signal(.invite(sdp: "v=0", media: [])), to: name)
            }
        }
        for content in [
            CallSignal.Content.invite(sdp: long, media: []), .answer(sdp: long),
            .negotiate(SessionDescription(type: .offer, sdp: long)),
        ] {
            #expect(throws: CallManagerError.self) { try calls.send(signal(content), to: "bob") }
        }
        #expect(throws: CallManagerError.self) {
            try calls.send(candidate(String(repeating: "c", count: 1_025)))
        }
        #expect(calls.count == 0)
    }

    @Test("Names: an answer comes from whom the kit called; a call comes from a user")
    func names() throws {
        var calls = make()
        let id = try #require(CallID(rawValue: Self.call))
        let answer = ServerMessage.answer(
            Delivered(Answer(call: id, description: .sdp(type: .answer, sdp: "v=0")), from: try bob, polite: false))
        for name in ["bob", "bob/x7"] {
            _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: name)
            guard case .signal(_, let peer, false, _)? = calls.receive(answer).deliveries.first else { throw Missing() }
            #expect(peer == name)
            // Who is called by a device's name calls by that name too.
            let other = try #require(CallID(rawValue: "other-0123456789abcdef"))
            let invite = IncomingInvite(
                call: other, from: try bob, lifetime: 30, description: .sdp(type: .offer, sdp: "v=0"))
            guard case .signal(_, let caller, true, _)? = calls.receive(.invite(invite)).deliveries.first else {
                throw Missing()
            }
            #expect(caller == name)
            calls.removeAll()
        }
    }

    @Test("How the other side is connected is told to the kit, and what waits for it waits elsewhere")
    func presence() throws {
        var calls = make()
        let id = try #require(CallID(rawValue: Self.call))
        let call = try #require(CallIdentifier(rawValue: Self.call))
        _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
        _ = calls.receive(
            .answer(Delivered(Answer(call: id, description: .sdp(type: .answer, sdp: "v=0")), from: try bob)))
        let messages: [(ServerMessage, DuetSignalingCalls.Delivery)] = [
            (.peer(PeerState(call: id, state: .away)), .presence(call, .away, hasNewSession: false)),
            (.peer(PeerState(call: id, state: .present)), .presence(call, .present, hasNewSession: false)),
            (.peer(PeerState(call: id, state: .gone)), .presence(call, .gone, hasNewSession: false)),
            (.attached(CallReference(call: id)), .presence(call, .present, hasNewSession: true)),
        ]
        for (message, delivery) in messages {
            let reaction = calls.receive(message)
            #expect(reaction.deliveries == [delivery] && reaction.replies.isEmpty)
            #expect(try calls.send(candidate("a")).count == 1)
        }
        #expect(try types(calls.send(signal(.hangUp(.normal)), to: "bob")) == ["hangup"])
        #expect(calls.count == 0)
    }

    @Test("What the server says of a call that the kit cannot use ends it, for both")
    func useless() throws {
        var calls = make()
        let id = try #require(CallID(rawValue: Self.call))
        let offers: [CallDescription?] = [
            nil, .data([1]), .sdp(type: .answer, sdp: "v=0"), .sdp(type: .offer, sdp: ""),
        ]
        for description in offers {
            let invite = IncomingInvite(call: id, from: try bob, lifetime: 30, description: description)
            let reaction = calls.receive(.invite(invite))
            #expect(try reaction.deliveries.isEmpty && types(reaction.replies) == ["reject"])
        }
        let answers: [CallDescription?] = [
            nil, .data([1]), .sdp(type: .offer, sdp: "v=0"), .sdp(type: .answer, sdp: ""),
        ]
        for description in answers {
            _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
            let reaction = calls.receive(
                .answer(Delivered(Answer(call: id, description: description), from: try bob, polite: false)))
            #expect(try types(reaction.replies) == ["hangup"])
            #expect(contents(reaction) == [.hangUp(.mediaFailed)])
        }
        let later: [CallDescription] = [
            .data([1]), .sdp(type: .rollback, sdp: ""), .sdp(type: .pranswer, sdp: "v"), .sdp(type: .offer, sdp: ""),
            .sdp(type: .answer, sdp: ""),
        ]
        for description in later {
            let message = Delivered(Negotiate(call: id, description: description), from: try bob, polite: true)
            #expect(calls.receive(.negotiate(message)).deliveries.isEmpty)
        }
    }

    private func contents(_ reaction: DuetSignalingCalls.Reaction) -> [CallSignal.Content] {
        reaction.deliveries.compactMap { delivery in
            guard case .signal(let signal, _, _, _) = delivery else { return nil }
            // What a delegate that is given bytes can read of it.
            return (try? CallSignal(decoding: signal.encoded()))?.content
        }
    }

    @Test("Each way in which a server ends a call has its signal")
    func endings() throws {
        let id = try #require(CallID(rawValue: Self.call))
        let reference = CallReference(call: id)
        let endings: [(ServerMessage, CallSignal.Content)] = [
            (.reject(Delivered(Reject(call: id, reason: .declined), from: try bob)), .reject(.declined)),
            (.reject(Delivered(Reject(call: id), from: try bob)), .reject(.declined)),
            (.busy(Delivered(reference, from: try bob)), .busy),
            (.cancel(Delivered(Cancel(call: id, reason: .cancelled))), .cancel(.cancelled)),
            (.cancel(Delivered(Cancel(call: id, reason: .connectionLost))), .cancel(.connectionLost)),
            (.cancel(Delivered(Cancel(call: id, reason: .rejectedElsewhere))), .cancel(.rejectedElsewhere)),
            (.cancel(Delivered(Cancel(call: id, reason: .glare))), .cancel(.glare)),
            (.cancel(Delivered(Cancel(call: id))), .cancel(.cancelled)),
            (.answeredElsewhere(Delivered(reference, from: try bob)), .cancel(.answeredElsewhere)),
            (.noAnswer(reference), .noAnswer), (.unavailable(reference), .unavailable),
            (.glare(Glare(call: id, winner: id)), .cancel(.glare)),
            (.hangup(Delivered(HangUp(call: id, reason: .connectionFailed))), .hangUp(.connectionFailed)),
            (.hangup(Delivered(HangUp(call: id, reason: .left))), .hangUp(.left)),
            (.hangup(Delivered(HangUp(call: id, reason: CallReason(rawValue: "unheard")))), .hangUp(.normal)),
            (.hangup(Delivered(HangUp(call: id))), .hangUp(.normal)),
        ]
        for (message, content) in endings {
            var calls = make()
            _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
            let reaction = calls.receive(message)
            #expect(contents(reaction) == [content])
            guard case .signal(_, "bob", false, _)? = reaction.deliveries.first else { throw Missing() }
            #expect(calls.count == 0)
        }
    }

    @Test("Errors of the server about a call end it while it rings, and not while it runs")
    func errors() throws {
        let id = try #require(CallID(rawValue: Self.call))
        let refusals: [SignalingErrorCode] = [
            .malformed, .tooLarge, .callExists, .tooManyCalls, .rateLimited, .forbidden, .undeliverable, .unknownCall,
        ]
        for code in refusals {
            var calls = make()
            _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
            let error = SignalingErrorMessage(code, "no", call: id)
            #expect(contents(calls.receive(.error(error))) == [.unavailable])
            #expect(calls.receive(.error(error)).deliveries.isEmpty)
        }
        for code in refusals + [.wrongState, .peerGone, .internal] {
            var calls = make()
            _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
            _ = calls.receive(
                .answer(Delivered(Answer(call: id, description: .sdp(type: .answer, sdp: "v=0")), from: try bob)))
            #expect(contents(calls.receive(.error(SignalingErrorMessage(code, "no", call: id)))).isEmpty)
        }
        var calls = make()
        let invite = IncomingInvite(
            call: id, from: try bob, lifetime: 30, description: .sdp(type: .offer, sdp: "v=0"))
        _ = calls.receive(.invite(invite))
        #expect(calls.receive(.error(SignalingErrorMessage(.wrongState, "no", call: id))).deliveries.isEmpty)
        #expect(
            contents(calls.receive(.error(SignalingErrorMessage(.unknownCall, "no", call: id))))
                == [.cancel(.connectionLost)])
    }

    @Test("A message that the server has dropped is told to the kit, of a call that was answered")
    func dropped() throws {
        let id = try #require(CallID(rawValue: Self.call))
        let call = try #require(CallIdentifier(rawValue: Self.call))
        let error = ServerMessage.error(SignalingErrorMessage(.undeliverable, "far behind", call: id))
        var calls = make()
        _ = try calls.send(signal(.invite(sdp: "v=0", media: [])), to: "bob")
        _ = calls.receive(
            .answer(Delivered(Answer(call: id, description: .sdp(type: .answer, sdp: "v=0")), from: try bob)))
        #expect(calls.receive(error).deliveries == [.undeliverable(call)])
        calls.ended(id)
        #expect(calls.receive(error).deliveries.isEmpty)
    }

    @Test("However many calls there are, few are remembered")
    func bound() throws {
        var calls = make()
        for index in 0..<1_000 {
            let id = try #require(CallID(rawValue: "call-0123456789-\(index)"))
            let invite = IncomingInvite(
                call: id, from: try bob, lifetime: 30, description: .sdp(type: .offer, sdp: "v=0"))
            _ = calls.receive(.invite(invite))
        }
        #expect(calls.count == DuetSignalingCalls.mostCalls)
    }

    @Test("Candidates come and go as they are; those that are bytes are passed over")
    func candidates() throws {
        var calls = make()
        let id = try #require(CallID(rawValue: Self.call))
        let sent = try calls.send(candidate("candidate:1 1 udp 1 192.0.2.1 9 typ host"))
        guard case .candidate(let carried, id)? = sent.first else { throw Missing() }
        let reaction = calls.receive(
            .candidates(Delivered(Candidates(call: id, candidates: [carried, .data([1]), carried]), from: try bob)))
        #expect(
            reaction.deliveries
                == Array(
                    repeating: .candidate(
                        try candidate("candidate:1 1 udp 1 192.0.2.1 9 typ host"), from: "bob"), count: 2))
    }

    private struct Missing: Error {}
}
