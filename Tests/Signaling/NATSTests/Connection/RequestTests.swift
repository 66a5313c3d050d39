import RTCWire
import Testing

@testable import NATS

@Suite("Requests, limits and draining")
struct RequestTests {
    private static func connected(_ change: (inout ConnectionOptions) -> Void = { _ in }) throws -> VirtualConnection {
        let connection = try VirtualConnection(change)
        connection.start()
        connection.greet()
        _ = connection.take()
        _ = connection.takeSaid()
        return connection
    }

    private static func request(
        _ connection: VirtualConnection, _ payload: [UInt8] = [], timeout: TimeDelta = .seconds(5)
    ) throws -> UInt64 {
        try connection.rules.request(
            NATSSubject("service"), headers: NATSHeaders(), payload: payload, timeout: timeout, at: connection.now)
    }

    @Test("Answers find their requests, the first one counts")
    func answers() throws {
        let connection = try Self.connected()
        let inbox = connection.rules.inboxSubject
        let first = try Self.request(connection)
        let second = try Self.request(connection)
        #expect(connection.takeSaid() == "PUB service \(inbox).1 0\r\n\r\nPUB service \(inbox).2 0\r\n\r\n")
        connection.hear("MSG \(inbox).2 1 3\r\ntwo", "MSG \(inbox).1 1 3\r\none", "MSG \(inbox).1 1 5\r\nagain")
        let effects = connection.take()
        #expect(effects.count == 2)
        #expect(try effects.answers[first]?.get().payload == Array("one".utf8))
        #expect(try effects.answers[second]?.get().payload == Array("two".utf8))
    }

    @Test("Nobody to answer is an error of its own")
    func noResponders() throws {
        let connection = try Self.connected()
        let id = try Self.request(connection)
        connection.hear("HMSG \(connection.rules.inboxSubject).\(id) 1 16 16\r\nNATS/1.0 503\r\n\r\n")
        let error = connection.take().answers[id]?.failure
        #expect(error?.code == .noResponders && error?.isOutcomeUnknown == false)
    }

    @Test("Requests end in the order of their deadlines")
    func timeouts() throws {
        let connection = try Self.connected()
        var ids: [UInt64] = []
        for seconds: Int64 in [3, 1, 2] { ids.append(try Self.request(connection, timeout: .seconds(seconds))) }
        connection.pass(.seconds(1))
        #expect(connection.take().answers.keys.sorted() == [ids[1]])
        connection.pass(.seconds(1))
        #expect(connection.take().answers[ids[2]]?.failure?.code == .timeout)
        connection.rules.cancelRequest(ids[0])
        #expect(connection.take().answers[ids[0]]?.failure?.code == .cancelled)
        connection.pass(.seconds(1))
        #expect(connection.take().answers.isEmpty)
    }

    @Test("Answers to nothing are dropped", arguments: ["x", "99", "1.2", "-1", "18446744073709551617"])
    func strangeAnswers(token: String) throws {
        let connection = try Self.connected()
        let id = try Self.request(connection)
        _ = connection.take()
        connection.hear("MSG \(connection.rules.inboxSubject).\(token) 1 0\r\n")
        let effects = connection.take()
        #expect(effects.isEmpty || token == "1.2" && effects.answers[id] == nil)
        #expect(connection.rules.isConnected)
    }

    @Test("The server's limit and the own one bound a message")
    func payload() throws {
        let connection = try Self.connected()
        #expect(throws: Never.self) { _ = try Self.request(connection, [UInt8](repeating: 1, count: 1_000)) }
        let error = #expect(throws: NATSError.self) {
            _ = try Self.request(connection, [UInt8](repeating: 1, count: 1_001))
        }
        #expect(error?.code == .payloadTooLarge)
        var headers = NATSHeaders()
        try headers.append("A", "b")
        let withHeaders = #expect(throws: NATSError.self) {
            try connection.rules.publish(
                NATSSubject("a"), reply: nil, headers: headers, payload: [UInt8](repeating: 1, count: 990))
        }
        #expect(withHeaders?.code == .payloadTooLarge)
        let narrow = try Self.connected { $0.limits.payload = 10 }
        #expect(throws: NATSError.self) { _ = try Self.request(narrow, [UInt8](repeating: 1, count: 11)) }
    }

    @Test("The numbers of subscriptions and requests are limited")
    func numbers() throws {
        let connection = try Self.connected {
            $0.maximumRequests = 3
            $0.maximumSubscriptions = 2
        }
        for _ in 0..<3 { _ = try Self.request(connection) }
        let tooMany = #expect(throws: NATSError.self) { _ = try Self.request(connection) }
        #expect(tooMany?.code == .tooManyRequests)
        for _ in 0..<2 { _ = try connection.rules.subscribe(NATSSubjectFilter("a"), queue: nil) }
        let more = #expect(throws: NATSError.self) {
            try connection.rules.subscribe(NATSSubjectFilter("a"), queue: nil)
        }
        #expect(more?.code == .tooManySubscriptions)
    }

    @Test("A subscription that the server refuses ends with that")
    func permissions() throws {
        let connection = try Self.connected()
        let refused = try connection.rules.subscribe(NATSSubjectFilter("secret.>"), queue: nil)
        _ = try connection.rules.subscribe(NATSSubjectFilter("open"), queue: nil)
        connection.hear(#"-ERR 'Permissions Violation for Subscription to "secret.>"'"#)
        let effects = connection.take()
        #expect(effects.count == 2)
        guard case .end(refused, let error?)? = effects.last else { return #expect(Bool(false)) }
        #expect(error.code == .permissionDenied)
        connection.hear(
            #"-ERR 'Permissions Violation for Publish to "x"'"#, "-ERR 'Permissions Violation for Subscription'")
        #expect(connection.rules.isConnected && connection.rules.subscriptions.count == 1)
        // However long its subject is.
        let long = String(repeating: "a", count: NATSSubject.maximumLength)
        let other = try connection.rules.subscribe(NATSSubjectFilter(long), queue: nil)
        connection.hear("-ERR 'Permissions Violation for Subscription to \"\(long)\"'")
        guard case .end(other, _?)? = connection.take().last else { return #expect(Bool(false)) }
    }

    @Test("Draining ends subscriptions after what is under way, waits for answers, and closes")
    func drain() throws {
        let connection = try Self.connected()
        let subscription = try connection.rules.subscribe(NATSSubjectFilter("a"), queue: nil)
        let request = try Self.request(connection)
        _ = connection.takeSaid()
        connection.rules.startDrain(within: .seconds(10), at: connection.now)
        #expect(connection.takeSaid() == "UNSUB \(subscription)\r\nPING\r\n")
        #expect(throws: NATSError.self) { try connection.rules.subscribe(NATSSubjectFilter("b"), queue: nil) }
        #expect(throws: NATSError.self) { _ = try Self.request(connection) }
        connection.hear("MSG a \(subscription) 2\r\nhi", "PONG")
        let effects = connection.take()
        #expect(effects.count == 2 && effects.last == .end(subscription, nil), "\(effects)")
        try connection.rules.publish(NATSSubject("a"), reply: nil, headers: NATSHeaders(), payload: [])
        connection.hear("MSG \(connection.rules.inboxSubject).\(request) 1 0\r\n")
        #expect(connection.takeSaid() == "PUB a 0\r\n\r\nPING\r\n")
        #expect(throws: NATSError.self) {
            try connection.rules.publish(NATSSubject("a"), reply: nil, headers: NATSHeaders(), payload: [])
        }
        #expect(connection.take().finish == nil)
        connection.hear("PONG")
        let end = connection.take()
        #expect(end.finish == .some(nil) && end.contains(.close))
    }

    @Test("Draining ends in its time, and with the connection")
    func drainFails() throws {
        let slow = try Self.connected()
        slow.rules.startDrain(within: .seconds(10), at: slow.now)
        slow.pass(.seconds(10))
        #expect(slow.take().finish??.code == .timeout)
        let lost = try Self.connected()
        lost.rules.startDrain(within: .seconds(10), at: lost.now)
        lost.lose()
        #expect(lost.take().finish??.code == .connectionLost)
        let waiting = try Self.connected()
        waiting.lose()
        _ = waiting.take()
        waiting.rules.startDrain(within: .seconds(10), at: waiting.now)
        #expect(waiting.take().finish == .some(nil))
    }

    @Test("Closing ends everything")
    func close() throws {
        let connection = try Self.connected()
        let subscription = try connection.rules.subscribe(NATSSubjectFilter("a"), queue: nil)
        let request = try Self.request(connection)
        connection.rules.close()
        let effects = connection.take()
        #expect(effects.answers[request]?.failure?.code == .closed)
        #expect(effects.contains(.end(subscription, nil)) && effects.contains(.close) && effects.finish == .some(nil))
        #expect(connection.rules.nextDeadline == nil)
        let error = #expect(throws: NATSError.self) { _ = try Self.request(connection) }
        #expect(error?.code == .closed)
    }

    @Test("Messages that are skipped or invalid are told to their subscription")
    func losses() throws {
        let connection = try Self.connected { $0.limits.payload = 10 }
        let id = try connection.rules.subscribe(NATSSubjectFilter("a.>"), queue: nil)
        connection.hear("MSG a.b \(id) 11\r\nhello world", "MSG a..b \(id) 0\r\n", "MSG a.b 77 0\r\n")
        #expect(connection.take() == [.lost(id, .tooLarge(size: 11)), .lost(id, .invalid)])
    }
}
