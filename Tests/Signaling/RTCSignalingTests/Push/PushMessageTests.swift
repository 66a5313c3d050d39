import Testing

@testable import RTCSignaling

@Suite("The message pushToken")
struct PushMessageTests {
    private func read(_ json: String) throws -> ClientMessage {
        try Envelope<ClientMessage>(json: Array(json.utf8)).message
    }

    @Test("A token is hexadecimal, in either case, and has one spelling")
    func spelling() throws {
        let digits = String(repeating: "Ab", count: 32)
        let message = try read(#"{"type": "pushToken", "service": "apns", "token": "\#(digits)"}"#)
        let token = PushToken(bytes: [UInt8](repeating: 0xAB, count: 32))
        #expect(message == .pushToken(PushRegistration(token: token)))
        #expect(token?.rawValue == digits.lowercased())
    }

    @Test("Without a token, that of the device is removed")
    func removal() throws {
        #expect(try read(#"{"type": "pushToken"}"#) == .pushToken(PushRegistration(token: nil)))
        #expect(try read(#"{"type": "pushToken", "token": null}"#) == .pushToken(PushRegistration(token: nil)))
        #expect(try read(#"{"type": "pushToken", "service": 7}"#) == .pushToken(PushRegistration(token: nil)))
    }

    @Test(
        "What is no token is malformed",
        arguments: [
            "", "ab", String(repeating: "a", count: 31), String(repeating: "a", count: 33),
            String(repeating: "g", count: 64), String(repeating: "a", count: 202),
            String(repeating: "a", count: 50_000), "../../3/device/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            String(repeating: "\u{FF41}", count: 32), String(repeating: "a", count: 30) + "\\r\\n",
        ])
    func hostile(token: String) throws {
        let message = try read(#"{"type": "pushToken", "service": "apns", "token": "\#(token)"}"#)
        guard case .malformed(_, "pushToken", nil) = message else {
            Issue.record("\(message)")
            return
        }
    }

    @Test("A service that is not known is malformed", arguments: ["fcm", "", "APNS"])
    func service(name: String) throws {
        let token = String(repeating: "a", count: 64)
        let message = try read(#"{"type": "pushToken", "service": "\#(name)", "token": "\#(token)"}"#)
        guard case .malformed = message else {
            Issue.record("\(message)")
            return
        }
    }

    @Test("No description shows a token")
    func descriptions() throws {
        let registration = PushRegistration(token: PushToken(bytes: [UInt8](repeating: 0xAB, count: 32)))
        var dumped = ""
        dump(registration, to: &dumped)
        for text in ["\(registration)", String(reflecting: ClientMessage.pushToken(registration)), dumped] {
            #expect(!text.contains("abab"))
        }
    }

    @Test("A client says it again after each sign-in, also that there is none any more")
    func afterReconnecting() throws {
        func read(_ output: [[UInt8]]) throws -> [ClientMessage] {
            try output.map { try Envelope<ClientMessage>(json: $0).message }
        }
        var session = ClientSession()
        let token = try #require(PushToken(bytes: [UInt8](repeating: 1, count: 32)))
        #expect(session.send(.pushToken(PushRegistration(token: token)), at: .zero) == [])
        let welcome = Welcome(user: "bob", device: "b", session: "s", resumed: false, received: 0, resumeWindow: 60)
        let first = try read(session.welcomed(welcome, at: .zero))
        #expect(first == [.pushToken(PushRegistration(token: token))])
        session.disconnected()
        #expect(session.send(.pushToken(PushRegistration(token: nil)), at: .zero) == [])
        var again = welcome
        again.resumed = true
        let second = try read(session.welcomed(again, at: .zero))
        #expect(second == [.pushToken(PushRegistration(token: nil))])
    }
}
