import Testing

@testable import RTCSignaling

@Suite("Messages as JSON")
struct MessageTests {
    private static let peer = SignalingPeer(user: "alice", device: "a", name: DisplayName(rawValue: "Älice 👋🏽"))
    private static let call: CallID = "call"
    private static let sdp = CallDescription.sdp(type: .offer, sdp: "v=0\r\no=- \"/\u{2028}\"")
    private static let someCandidates = Candidates(
        call: call,
        candidates: [
            .candidate(.init(candidate: "candidate:1 1 udp", sdpMid: "0", sdpMLineIndex: 0, usernameFragment: "ab")),
            .candidate(.init(candidate: "")), .data([0, 255, 7]),
        ])

    static let clientMessages: [ClientMessage] = [
        .hello(
            Hello(user: "alice", device: "a", name: peer.name, token: "t", resume: .init(session: "s", received: 4))),
        .hello(Hello()), .bye, .ack, .ping(Ping(id: 4)), .pong(Ping()), .iceServers,
        .renew(Renewal(token: "t")),
        .watch(Watch(users: ["alice", "bob"])),
        .pushToken(PushRegistration(token: PushToken(bytes: [UInt8](repeating: 0xAB, count: 32)))),
        .pushToken(PushRegistration(token: nil)),
        .invite(Invite(call: call, to: "bob/b", lifetime: 12.5, media: [.audio], description: sdp)),
        .invite(Invite(call: call, to: "bob", description: .data(Array("opaque".utf8)))),
        .ringing(CallReference(call: call)), .answer(Answer(call: call)), .answer(Answer(call: call, description: sdp)),
        .reject(Reject(call: call, reason: .declined)), .busy(CallReference(call: call)),
        .cancel(Cancel(call: call)), .candidates(someCandidates),
        .negotiate(Negotiate(call: call, description: .sdp(type: .rollback, sdp: ""))),
        .signal(OutgoingSignal(target: .address("bob"), kind: CallReason(rawValue: "candidate"), data: [1, 2, 3])),
        .signal(OutgoingSignal(target: .call(call), data: [])), .hangup(HangUp(call: call, reason: .normal)),
        .attach(Attach(call: call, peer: "bob/b", caller: true)),
    ]

    static let serverMessages: [ServerMessage] = [
        .welcome(
            Welcome(
                server: "duet", user: "alice", device: "a", name: peer.name, session: "secret", resumed: true,
                received: 9, resumeWindow: 60,
                iceServers: [SignalingICEServer(urls: ["turn:example.org"], username: "u", credential: "c")],
                iceServersLifetime: 3_600, tokenLifetime: 300)),
        .ack, .ping(Ping(id: 1)), .pong(Ping(id: 1)),
        .error(SignalingErrorMessage(.malformed, "no", about: 3, call: call, retryAfter: 1.5)),
        .error(SignalingErrorMessage(.unsupportedVersion, "no", fatal: true, versions: [1, 2])),
        .goingAway(GoingAway(retryAfter: 2.5, message: "restart")), .iceServers(ICEServers(iceServers: [])),
        .presence(Presence(user: "bob", devices: [.init(device: "b", name: peer.name, state: .away)])),
        .presence(
            Presence(user: "bob", devices: [.init(device: "b", name: peer.name, nameIsProven: true, state: .online)])),
        .invite(IncomingInvite(call: call, from: peer, lifetime: 3, media: [.video], description: sdp)),
        .ringing(Delivered(CallReference(call: call), from: peer)),
        .ringing(
            Delivered(
                CallReference(call: call),
                from: SignalingPeer(user: "alice", device: "a", name: peer.name, nameIsProven: true))),
        .answer(Delivered(Answer(call: call, description: sdp), from: peer, polite: false)),
        .answeredElsewhere(Delivered(CallReference(call: call), from: peer)),
        .reject(Delivered(Reject(call: call, reason: .declined), from: peer)),
        .busy(Delivered(CallReference(call: call))),
        .cancel(Delivered(Cancel(call: call, reason: .glare), from: peer)), .noAnswer(CallReference(call: call)),
        .unavailable(CallReference(call: call)), .glare(Glare(call: call, winner: "winner")),
        .candidates(Delivered(someCandidates, from: peer)),
        .negotiate(Delivered(Negotiate(call: call, description: sdp), from: peer, polite: true)),
        .signal(IncomingSignal(from: peer, polite: true, kind: CallReason(rawValue: "k"), data: [4])),
        .hangup(Delivered(HangUp(call: call, reason: .left), from: peer)),
        .peer(PeerState(call: call, state: .gone)), .attached(CallReference(call: call)),
    ]

    @Test("A message has so many values and no more, known or not")
    func manyValues() throws {
        func message(_ count: Int) -> [UInt8] {
            Array((#"{"type":"x""# + (1..<count).map { #","m\#($0)":[]"# }.joined() + "}").utf8)
        }
        #expect(try Envelope<ClientMessage>(json: message(500)).message.type == "x")
        #expect(throws: MalformedMessage.self) { try Envelope<ClientMessage>(json: message(600)) }
    }

    @Test("Every message of a client reads back as it was written", arguments: clientMessages)
    func clientRoundTrip(_ message: ClientMessage) throws {
        let envelope = Envelope(message, seq: message.isNumbered == true ? 7 : nil, ack: 3)
        let again = try Envelope<ClientMessage>(json: envelope.json())
        #expect(again == envelope)
    }

    @Test("Every message of a server reads back as it was written", arguments: serverMessages)
    func serverRoundTrip(_ message: ServerMessage) throws {
        let envelope = Envelope(message, seq: message.isNumbered == true ? 7 : nil, ack: 3)
        let again = try Envelope<ServerMessage>(json: envelope.json())
        #expect(again == envelope)
    }

    @Test("The examples of the specification are what they say")
    func examples() throws {
        let invite = try decode(
            """
            {"type": "invite", "seq": 3, "call": "0197c8e2-7d1c-7bb0-9c5a-3f0e8b1d5a11", "to": {"user": "bob"},
             "lifetime": 30, "media": ["audio", "video"], "description": {"type": "offer", "sdp": "v=0…"}}
            """)
        #expect(invite.seq == 3)
        guard case .invite(let value) = invite.message else { return #expect(Bool(false)) }
        #expect(value.to == "bob")
        #expect(value.description == .sdp(type: .offer, sdp: "v=0…"))
        let hello = try decode(
            #"{"type": "hello", "version": 1, "user": "alice", "device": "k3v9", "name": "Alice", "token": null}"#)
        #expect(hello.message == .hello(Hello(user: "alice", device: "k3v9", name: DisplayName(rawValue: "Alice"))))
    }

    @Test("Members and kinds that nobody knows are passed over")
    func tolerance() throws {
        let message = try decode(
            #"{"type":"invite","seq":1,"later":[{"a":{}}],"call":"0123456789abcdef","to":{"user":"b","x":1},"media":["smell","audio"],"from":5}"#
        )
        guard case .invite(let invite) = message.message else { return #expect(Bool(false)) }
        #expect(invite.media == [.audio])
        #expect(invite.lifetime == 30)
        let unknown = try decode(#"{"type":"later","seq":4}"#)
        #expect(unknown.message == .unknown(type: "later"))
        #expect(unknown.isNumbered)
        #expect(try !decode(#"{"type":"later"}"#).isNumbered)
    }

    @Test(
        "What is wrong with a member makes the message malformed, and leaves it its number",
        arguments: [
            #"{"type":"invite","seq":5}"#,
            #"{"type":"invite","seq":5,"call":"short","to":{"user":"b"}}"#,
            #"{"type":"invite","seq":5,"call":"0123456789abcdef","to":{"user":"b/c"}}"#,
            #"{"type":"invite","seq":5,"call":"0123456789abcdef","to":{"user":"b"},"lifetime":0}"#,
            #"{"type":"invite","seq":5,"call":"0123456789abcdef","to":{"user":"b"},"lifetime":"30"}"#,
            #"{"type":"invite","seq":5,"call":"0123456789abcdef","to":{"user":"b"},"lifetime":1e999}"#,
            #"{"type":"invite","seq":5,"call":"0123456789abcdef","to":{"user":""}}"#,
            #"{"type":"answer","seq":5,"call":"0123456789abcdef","description":{"sdp":"v=0"}}"#,
            #"{"type":"answer","seq":5,"call":"0123456789abcdef","description":{"type":"other","sdp":"v=0"}}"#,
            #"{"type":"answer","seq":5,"call":"0123456789abcdef","description":{"data":"%%%="}}"#,
            #"{"type":"answer","seq":5,"call":"0123456789abcdef","description":"v=0"}"#,
            #"{"type":"candidates","seq":5,"call":"0123456789abcdef","candidates":{}}"#,
            #"{"type":"candidates","seq":5,"call":"0123456789abcdef","candidates":[{}]}"#,
            #"{"type":"candidates","seq":5,"call":"0123456789abcdef","candidates":[{"candidate":"","sdpMLineIndex":-1}]}"#,
            #"{"type":"negotiate","seq":5,"call":"0123456789abcdef"}"#,
            #"{"type":"signal","seq":5,"data":""}"#,
            #"{"type":"signal","seq":5,"to":{"user":"b"}}"#,
            #"{"type":"signal","seq":5,"to":{"user":"b"},"data":"","kind":"two words"}"#,
            #"{"type":"attach","seq":5,"call":"0123456789abcdef","peer":{"user":"b"}}"#,
            #"{"type":"hangup","seq":5,"call":"0123456789abcdef","reason":"two words"}"#,
        ])
    func malformedMembers(_ text: String) throws {
        let envelope = try decode(text)
        guard case .malformed = envelope.message else { return #expect(Bool(false), "\(envelope.message)") }
        #expect(envelope.seq == 5)
        #expect(envelope.isNumbered)
    }

    @Test("What is too long is malformed, and said to be too large")
    func tooLarge() throws {
        let long = String(repeating: "x", count: CallDescription.maximumLength + 1)
        let candidates = [String](repeating: #"{"candidate":""}"#, count: 33).joined(separator: ",")
        let users = (0..<101).map { "\"user\($0)\"" }.joined(separator: ",")
        for text in [
            #"{"type":"answer","seq":5,"call":"0123456789abcdef","description":{"type":"answer","sdp":"\#(long)"}}"#,
            #"{"type":"candidates","seq":5,"call":"0123456789abcdef","candidates":[\#(candidates)]}"#,
            #"{"type":"candidates","seq":5,"call":"0123456789abcdef","candidates":[{"candidate":"\#(long.prefix(1_025))"}]}"#,
            #"{"type":"watch","users":[\#(users)]}"#,
        ] {
            guard case .malformed(let reason, _, _) = try decode(text).message else { return #expect(Bool(false)) }
            #expect(reason.isTooLarge)
        }
        #expect(throws: MalformedMessage.self) {
            try Envelope<ClientMessage>(json: Array("{\"type\":\"ack\",\"x\":\"\(long + long)\"}".utf8))
        }
    }

    @Test(
        "What is no message at all is refused",
        arguments: [
            "", " ", "{", "[]", "5", "null", #""hello""#, "{}", #"{"type":5}"#, #"{"type":null}"#, #"{"type":"ack"} x"#,
            #"{"type":"ack","seq":-1}"#, #"{"type":"ack","seq":1.5}"#, #"{"type":"ack","ack":"1"}"#,
            #"{"type":"ack","seq":99999999999999999999999}"#,
            #"{"type":"ack","x":"# + String(repeating: "[", count: 40),
        ])
    func noMessage(_ text: String) {
        #expect(throws: MalformedMessage.self) { try decode(text) }
    }

    @Test("Invalid UTF-8 is refused, wherever it stands")
    func invalidUTF8() {
        var bytes = Array(#"{"type":"ack","x":"?"}"#.utf8)
        bytes[19] = 0xFF
        #expect(throws: MalformedMessage.self) { try Envelope<ClientMessage>(json: bytes) }
    }

    @Test("A message in UTF-16 or UTF-32 is none, though Foundation reads both: its nesting could not be bounded")
    func otherEncodings() {
        // “∀” is U+2200: half of it is a quotation mark to whoever looks at bytes.
        let nested = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        for text in [#"{"type":"ack"}"#, #"{"type":"ack","a":"∀","b":\#(nested)}"#] {
            let little = text.utf16.flatMap { unit -> [UInt8] in
                [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            }
            let big = text.utf16.flatMap { unit -> [UInt8] in
                [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
            }
            let wide = text.unicodeScalars.flatMap { scalar -> [UInt8] in
                (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
            }
            for bytes in [little, big, wide] {
                #expect(throws: MalformedMessage.self) { try Envelope<ClientMessage>(json: bytes) }
            }
        }
    }

    @Test("What is said of a malformed message quotes nothing of it")
    func discretion() throws {
        let envelope = try decode(#"{"type":"hello","version":1,"user":"SECRET SECRET","token":"SECRET"}"#)
        guard case .malformed(let reason, _, _) = envelope.message else { return #expect(Bool(false)) }
        #expect(!reason.description.contains("SECRET"))
        #expect(reason.description.contains("user"))
    }

    @Test("An error's message becomes one short line without what would move the cursor of a terminal")
    func errorText() throws {
        let json = #"{"type":"error","code":"internal","message":"a\u001b[2J\r\nb\u202ec é 👋","fatal":true}"#
        guard case .error(let error) = try Envelope<ServerMessage>(json: Array(json.utf8)).message else {
            return #expect(Bool(false))
        }
        #expect(error.message == "a [2J  b c é 👋")
        let long = SignalingErrorMessage(.internal, String(repeating: "x", count: 5_000), fatal: true)
        guard
            case .error(let cut) = try Envelope<ServerMessage>(json: Envelope(ServerMessage.error(long)).json()).message
        else { return #expect(Bool(false)) }
        #expect(cut.message == String(repeating: "x", count: 500))
    }

    private func decode(_ text: String) throws -> Envelope<ClientMessage> {
        try Envelope(json: Array(text.utf8))
    }
}
