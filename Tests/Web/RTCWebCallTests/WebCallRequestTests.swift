import RTCSignaling
import Testing

@testable import RTCWebCall
@testable import WebRTCKit

@Suite("What a page asks of calls")
struct WebCallRequestTests {
    @Test("Requests are read as they are meant")
    func requests() {
        let expected: [(String, WebCallRequest.Action)] = [
            (#"{"id":1,"action":"call","peer":"bob"}"#, .call(peer: "bob")),
            (#"{"id":1,"action":"answer","accept":false}"#, .answer(accept: false)),
            (#"{"id":1,"action":"answer"}"#, .answer(accept: true)),
            (#"{"id":1,"action":"hangUp","more":[1,2]}"#, .hangUp),
            (#"{"id":1,"action":"setMuted","track":"camera","muted":true}"#, .setMuted(.camera, true)),
            (#"{"id":1,"action":"statistics"}"#, .statistics),
        ]
        for (text, action) in expected {
            let reference = WebCallRequest.Reference(id: 1, document: nil)
            #expect(
                WebCallRequest.parse(text) == .request(WebCallRequest(reference: reference, action: action)), "\(text)")
        }
        #expect(
            WebCallRequest.parse(#"{"id":1,"document":4294967295,"action":"hangUp"}"#)
                == .request(WebCallRequest(reference: .init(id: 1, document: 4_294_967_295), action: .hangUp)))
    }

    @Test(
        "What asks for nothing that there is, is answered; what is no request, is not",
        arguments: [
            (#"{"id":7,"action":"call"}"#, true), (#"{"id":7,"action":"call","peer":""}"#, true),
            (#"{"id":7,"action":"setMuted","track":"screen","muted":true}"#, true),
            (#"{"id":7,"action":"setMuted","track":"camera"}"#, true), (#"{"id":7,"action":"format"}"#, true),
            (#"{"id":-1,"action":"hangUp"}"#, false), (#"{"action":"hangUp"}"#, false), ("", false), ("[]", false),
            (#"{"id":1e99,"action":"hangUp"}"#, false), (#"{"id":7,"action":1}"#, false),
        ])
    func noise(_ text: String, _ isAnswered: Bool) {
        #expect(WebCallRequest.parse(text) == (isAnswered ? .unknown(.init(id: 7, document: nil)) : .noise))
    }

    @Test("Events and replies say what they are")
    func messages() {
        #expect(WebCallMessage(.incoming(peer: "bob")).text == #"{"event":"incoming","peer":"bob"}"#)
        #expect(WebCallMessage(.ended(reason: nil)).text == #"{"event":"ended"}"#)
        for ending in WebCallEnding.allCases {
            #expect(
                WebCallMessage(.ended(reason: nil, ending: ending)).text
                    == #"{"ending":"\#(ending.rawValue)","event":"ended"}"#)
        }
        #expect(
            WebCallMessage(replyTo: .init(id: 3, document: 9), error: "no").text
                == #"{"document":9,"error":"no","id":3}"#)
        #expect(WebCallMessage(replyTo: .init(id: 3, document: nil)).text == #"{"id":3}"#)
    }

    @Test("The page is told how a call ended, also where there is no error to tell of")
    func endings() throws {
        let id = try #require(CallIdentifier(rawValue: "0123456789abcdef"))
        let outcomes: [(Call.Outcome, WebCallEnding)] = [
            (.hungUp(by: .local), .endedHere), (.hungUp(by: .remote), .endedByOtherSide),
            (.cancelled(by: .remote), .endedByOtherSide), (.declined(by: .local), .endedHere),
            (.answeredElsewhere, .answeredElsewhere), (.declinedElsewhere, .declinedElsewhere),
            (.replaced, .endedByOtherSide), (.busy, .endedByOtherSide), (.unanswered, .unanswered),
            (.unreachable, .failed), (.refused("no"), .failed), (.connectionLost, .failed),
        ]
        for (outcome, ending) in outcomes {
            var call = Call(id: id, peer: Call.Peer(id: "bob"), direction: .incoming, state: .ended, media: [])
            call.outcome = outcome
            let event = WebCallEvent(.call(call, .ended))
            #expect(event == .ended(reason: outcome.error.map { "\($0)" }, ending: ending), "\(outcome)")
        }
    }

    @Test("A page is told of a call's beginning, its path and its end, and of nothing else")
    func events() throws {
        let id = try #require(CallIdentifier(rawValue: "0123456789abcdef"))
        func event(_ change: Call.Change, _ direction: Call.Direction = .incoming) -> WebCallEvent? {
            let call = Call(id: id, peer: Call.Peer(id: "bob"), direction: direction, state: .ringing, media: [])
            return WebCallEvent(.call(call, change))
        }
        #expect(event(.began) == .incoming(peer: "bob") && event(.began, .outgoing) == nil)
        #expect(event(.ringing, .outgoing) == .ringing && event(.connected) == .started)
        #expect(event(.connectionLost) == .connectionLost && event(.connectionRestored) == .connectionRestored)
        for change in [Call.Change.present, .glare, .answered, .verification, .quality, .presence] {
            #expect(event(change) == nil)
        }
        var call = Call(id: id, peer: Call.Peer(id: "bob"), direction: .incoming, state: .connected, media: [])
        for (level, name) in zip(CallQuality.Level.allCases, ["bad", "poor", "fair", "good", "excellent"]) {
            for reason in CallQuality.Reason.allCases {
                call.quality = CallQuality(level: level, reason: level == .excellent ? nil : reason)
                let event = try #require(WebCallEvent(.call(call, .quality)))
                let said = WebCallMessage(event)
                #expect(said.event == "quality" && said.level == name)
                #expect(said.reason == (level == .excellent ? nil : reason.rawValue))
            }
        }
        #expect(WebCallEvent(.server(.connected)) == nil && WebCallEvent(.missed) == nil)
    }

    @Test("A page that left requests behind does not use up what the next one may ask")
    func open() {
        var open = OpenWebCallRequests()
        let first = (0..<33).map { _ in open.begin(of: 1) }
        #expect(first == Array(repeating: true, count: 32) + [false])
        let next = (0..<33).map { _ in open.begin(of: 2) }
        #expect(next == first, "the next page may ask as much")
        for _ in 0..<32 { open.end(of: 1) }
        let (full, freed) = (
            open.begin(of: 2),
            {
                open.end(of: 2); return open.begin(of: 2)
            }()
        )
        #expect(!full && freed, "what ends of an earlier page is none of the present one's")
        let reloaded = (3..<7).map { document in (0..<32).count { _ in open.begin(of: document) } }
        #expect(reloaded == [32, 32, 32, 0], "nor can a page that loads itself again ask without end")
    }

    @Test("A page that says it is now this one and now that one may not ask for more by it")
    func alternating() {
        var open = OpenWebCallRequests()
        for _ in 0..<32 {
            let one = open.begin(of: 1)
            let other = open.begin(of: 2)
            #expect(one && other)
        }
        let more = [open.begin(of: 1), open.begin(of: 2)]
        #expect(more == [false, false])
        for _ in 0..<32 { open.end(of: 1) }
        let again = (0..<33).count { _ in open.begin(of: 1) }
        #expect(again == 32)
        open.end(of: 9)
        #expect(open.all == 64, "what was never begun does not end")
    }
}
