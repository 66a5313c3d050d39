import Testing

@testable import RTCWebCall

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
            #expect(WebCallRequest.parse(text) == .request(WebCallRequest(id: 1, action: action)), "\(text)")
        }
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
        #expect(WebCallRequest.parse(text) == (isAnswered ? .unknown(id: 7) : .noise))
    }

    @Test("Events and replies say what they are")
    func messages() {
        #expect(WebCallMessage(.incoming(peer: "bob")).text == #"{"event":"incoming","peer":"bob"}"#)
        #expect(WebCallMessage(.ended(reason: nil)).text == #"{"event":"ended"}"#)
        #expect(WebCallMessage(replyTo: 3, error: "no").text == #"{"error":"no","id":3}"#)
        #expect(WebCallMessage(replyTo: 3).text == #"{"id":3}"#)
    }
}
