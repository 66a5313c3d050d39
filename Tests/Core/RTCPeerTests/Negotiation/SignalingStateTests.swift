import RTCPeer
import Testing

@Suite("Signalling states (W3C WebRTC, section 4.3.1)")
struct SignalingStateTests {
    /// A side in this state, and the other one.
    private func sides(in state: SignalingState) throws -> (NegotiatingSide, NegotiatingSide) {
        var side = try NegotiatingSide(seed: 1)
        var other = try NegotiatingSide(seed: 2)
        side.negotiator.addDataSection()
        other.negotiator.addDataSection()
        switch state {
        // The negotiator is never closed; the peer is.
        case .stable, .closed: try side.exchange(with: &other)
        case .haveLocalOffer: _ = try side.offer()
        case .haveRemoteOffer: try side.take(other.offer())
        case .haveRemotePranswer:
            try other.take(side.offer())
            let answer = try other.negotiator.createAnswer(other.input())
            try side.take(SessionDescription(type: .pranswer, sdp: answer.sdp))
        case .haveLocalPranswer:
            try side.take(other.offer())
            let answer = try side.negotiator.createAnswer(side.input())
            _ = try side.negotiator.setLocal(SessionDescription(type: .pranswer, sdp: answer.sdp))
        }
        #expect(side.negotiator.signalingState == (state == .closed ? .stable : state))
        return (side, other)
    }

    /// An answer that fits the offer which this side waits with, or any that is well-formed.
    private func foreignAnswer(for side: NegotiatingSide) throws -> String {
        var other = try NegotiatingSide(seed: 2)
        var offer = side.negotiator.localDescription
        if offer?.type != .offer {
            var third = try NegotiatingSide(seed: 3)
            third.negotiator.addDataSection()
            offer = try third.offer()
        }
        try other.take(#require(offer))
        return try other.answer().sdp
    }

    @Test("what each remote description leads to", arguments: SignalingState.allCases.filter { $0 != .closed })
    func remote(state: SignalingState) throws {
        for kind in SessionDescription.Kind.allCases {
            var (side, other) = try sides(in: state)
            let sdp =
                switch kind {
                case .offer: state == .stable ? try other.offer().sdp : BrowserDescriptions.chromeData
                case .answer, .pranswer: try foreignAnswer(for: side)
                case .rollback: ""
                }
            let expected: SignalingState? =
                switch (state, kind) {
                case (.stable, .offer), (.haveLocalOffer, .offer), (.haveRemoteOffer, .offer): .haveRemoteOffer
                case (.haveLocalOffer, .answer), (.haveRemotePranswer, .answer): .stable
                case (.haveLocalOffer, .pranswer), (.haveRemotePranswer, .pranswer): .haveRemotePranswer
                case (.haveRemoteOffer, .rollback): .stable
                default: nil
                }
            let description = SessionDescription(type: kind, sdp: sdp)
            if let expected {
                try side.take(description)
                #expect(side.negotiator.signalingState == expected, "\(kind) in \(state)")
            } else {
                let code: NegotiationError.Code =
                    kind == .answer || kind == .pranswer ? .noOfferToAnswer : .invalidState
                expect(code, of: &side) { try $0.take(description) }
            }
        }
    }

    @Test("what each local description leads to", arguments: SignalingState.allCases.filter { $0 != .closed })
    func local(state: SignalingState) throws {
        for kind in SessionDescription.Kind.allCases {
            var (side, _) = try sides(in: state)
            let expected: SignalingState? =
                switch (state, kind) {
                case (.stable, .offer), (.haveLocalOffer, .offer): .haveLocalOffer
                case (.haveRemoteOffer, .answer), (.haveLocalPranswer, .answer): .stable
                case (.haveRemoteOffer, .pranswer), (.haveLocalPranswer, .pranswer): .haveLocalPranswer
                case (.haveLocalOffer, .rollback): .stable
                default: nil
                }
            func apply(_ side: inout NegotiatingSide) throws {
                var sdp = ""
                switch kind {
                case .offer: sdp = try side.negotiator.createOffer(side.input()).sdp
                case .answer, .pranswer: sdp = try side.negotiator.createAnswer(side.input()).sdp
                case .rollback: break
                }
                side.changes += try side.negotiator.setLocal(SessionDescription(type: kind, sdp: sdp))
            }
            if let expected {
                try apply(&side)
                #expect(side.negotiator.signalingState == expected, "\(kind) in \(state)")
            } else {
                let code: NegotiationError.Code =
                    kind == .answer || kind == .pranswer ? .noOfferToAnswer : .invalidState
                expect(code, of: &side, from: apply)
            }
        }
    }

    @Test("answering twice is one clear error, on both sides")
    func twice() throws {
        var (offerer, answerer) = try connectedSides()
        let answer = try #require(answerer.negotiator.localDescription)
        expect(.noOfferToAnswer, of: &offerer) { try $0.take(answer) }
        expect(.noOfferToAnswer, of: &answerer) { _ = try $0.negotiator.setLocal(answer) }
        expect(.noOfferToAnswer, of: &answerer) { _ = try $0.negotiator.createAnswer($0.input()) }
    }

    @Test("a local description is what was created last, unchanged")
    func modified() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        expect(.modifiedDescription, of: &side) {
            _ = try $0.negotiator.setLocal(SessionDescription(type: .offer, sdp: ""))
        }
        let offer = try side.negotiator.createOffer(side.input())
        expect(.modifiedDescription, of: &side) {
            let other = offer.sdp.replacing("5000", with: "5001")
            _ = try $0.negotiator.setLocal(SessionDescription(type: .offer, sdp: other))
        }
        // Empty stands for it.
        _ = try side.negotiator.setLocal(SessionDescription(type: .offer, sdp: ""))
        #expect(side.negotiator.pendingLocalDescription == offer)
        // Once set, it is used up.
        expect(.modifiedDescription, of: &side) { _ = try $0.negotiator.setLocal(offer) }
    }

    @Test("provisional answers start the transport, the answer ends the exchange")
    func provisional() throws {
        var (side, other) = try sides(in: .haveRemotePranswer)
        let provisional = side.takeChanges()
        #expect(provisional.remoteTransport?.isICEControlling == true && provisional.data != nil)
        #expect(side.negotiator.currentRemoteDescription == nil)
        #expect(side.negotiator.pendingRemoteDescription?.type == .pranswer)
        try side.take(other.answer())
        #expect(side.takeChanges() == [.signalingState(.stable)])
        #expect(side.negotiator.currentRemoteDescription?.type == .answer)

        var (answerer, _) = try sides(in: .haveLocalPranswer)
        #expect(answerer.negotiator.localDescription?.type == .pranswer)
        let text = try #require(answerer.negotiator.localDescription).sdp
        // The same text may become the answer.
        let changes = try answerer.negotiator.setLocal(SessionDescription(type: .answer, sdp: text))
        #expect(changes == [.signalingState(.stable)])
    }

    @Test(
        "an exchange that was answered provisionally cannot be withdrawn",
        arguments: [SignalingState.haveLocalPranswer, .haveRemotePranswer])
    func noRollback(state: SignalingState) throws {
        var (side, _) = try sides(in: state)
        expect(.invalidState, of: &side) { _ = try $0.negotiator.rollback() }
    }
}
