import RTCWire
import Testing

@testable import NATS

@Suite("Connecting to NATS again")
struct ReconnectingTests {
    private static func connected(
        servers: [String] = ["one"], seed: UInt64 = 1, _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> VirtualConnection {
        let connection = try VirtualConnection(servers: servers, seed: seed, change)
        connection.start()
        connection.greet()
        _ = connection.take()
        _ = connection.takeSaid()
        return connection
    }

    @Test("Two pings without an answer end a connection, answers keep it")
    func pings() throws {
        let connection = try Self.connected()
        connection.pass(.seconds(20))
        #expect(connection.takeSaid() == "PING\r\n")
        connection.hear("PONG")
        connection.pass(.seconds(41))
        #expect(connection.takeSaid() == "PING\r\nPING\r\n" && connection.rules.isConnected)
        connection.pass(.seconds(19))
        let effects = connection.take()
        #expect(effects.contains(.close) && !connection.rules.isConnected)
        guard case .disconnected(let error)? = effects.events.first else { return #expect(Bool(false)) }
        #expect(error.code == .connectionLost)
    }

    @Test("The server's pings are answered")
    func pong() throws {
        let connection = try Self.connected()
        connection.hear("PING")
        #expect(connection.takeSaid() == "PONG\r\n")
    }

    @Test("Delays double with each round through the servers up to the longest, and vary", arguments: 0..<20)
    func backoff(seed: UInt64) throws {
        let connection = try Self.connected(servers: ["one", "two"], seed: seed)
        connection.lose()
        var delays: [Int64] = []
        for _ in 0..<20 {
            delays.append(connection.passUntilAttempt().milliseconds)
            connection.lose(NATSError(.unreachable, "no"))
        }
        for (index, delay) in delays.enumerated() {
            let whole = min(5_000, Int64(100) << Int64(min(index / 2, 16)))
            #expect((whole / 2 - 1)...whole ~= delay, "delay \(index) of \(delays)")
        }
        #expect(Set(delays).count > 10)
        #expect(connection.rules.phase == .waiting && connection.take().finish == nil, "it never gives up")
        _ = connection.passUntilAttempt()
        connection.greet()
        connection.lose()
        #expect(connection.passUntilAttempt() <= .milliseconds(100), "after a success it begins anew")
    }

    @Test("The next attempt is another server's")
    func others() throws {
        let connection = try Self.connected(servers: ["one", "two", "three"])
        let first = connection.rules.currentServer
        connection.lose()
        _ = connection.passUntilAttempt()
        #expect(connection.rules.currentServer != first)
    }

    @Test("Subscriptions are made again in their order, and each is told that it may have missed messages")
    func subscriptions() throws {
        let connection = try Self.connected()
        let first = try connection.rules.subscribe(NATSSubjectFilter("a.*"), queue: nil)
        let second = try connection.rules.subscribe(NATSSubjectFilter("b"), queue: NATSSubject("q"))
        let third = try connection.rules.subscribe(NATSSubjectFilter("c"), queue: nil)
        connection.rules.unsubscribe(second)
        #expect(connection.takeSaid() == "SUB a.* 2\r\nSUB b q 3\r\nSUB c 4\r\nUNSUB 3\r\n")
        connection.lose()
        let fourth = try connection.rules.subscribe(NATSSubjectFilter("d"), queue: NATSSubject("q"))
        _ = connection.take()
        _ = connection.passUntilAttempt()
        connection.greet()
        let inbox = "SUB \(connection.rules.inboxSubject).* 1\r\n"
        #expect(connection.takeSaid().hasSuffix("\(inbox)SUB a.* \(first)\r\nSUB c \(third)\r\nSUB d q \(fourth)\r\n"))
        let lost = connection.take().filter { if case .lost = $0 { true } else { false } }
        #expect(lost == [.lost(first, .reconnection), .lost(third, .reconnection), .lost(fourth, .reconnection)])
        connection.hear("MSG a.x 2 2\r\nhi")
        #expect(
            connection.take() == [.deliver(2, NATSMessage(subject: try NATSSubject("a.x"), payload: Array("hi".utf8)))])
    }

    @Test("What is published meanwhile is sent in order, and refused when it is too much")
    func buffering() throws {
        let connection = try Self.connected { $0.maximumBuffered = 60 }
        connection.lose()
        let subject = try NATSSubject("a")
        for number in 0..<3 {
            try connection.rules.publish(
                subject, reply: nil, headers: NATSHeaders(), payload: Array("message \(number)".utf8))
        }
        let error = #expect(throws: NATSError.self) {
            try connection.rules.publish(subject, reply: nil, headers: NATSHeaders(), payload: Array("message 3".utf8))
        }
        #expect(error?.code == .bufferFull)
        _ = connection.passUntilAttempt()
        connection.greet()
        #expect(
            connection.takeSaid().hasSuffix("PUB a 9\r\nmessage 0\r\nPUB a 9\r\nmessage 1\r\nPUB a 9\r\nmessage 2\r\n"))
        try connection.rules.publish(subject, reply: nil, headers: NATSHeaders(), payload: [])
        #expect(connection.takeSaid() == "PUB a 0\r\n\r\n")
    }

    @Test("Requests that are under way fail, new ones too until there is a connection")
    func requests() throws {
        let connection = try Self.connected()
        let id = try connection.rules.request(
            NATSSubject("r"), headers: NATSHeaders(), payload: [], timeout: .seconds(5), at: connection.now)
        let flush = try connection.rules.flush(timeout: .seconds(5), at: connection.now)
        connection.lose()
        let answers = connection.take().answers
        #expect(answers[id]?.failure?.code == .connectionLost && answers[flush]?.failure?.code == .connectionLost)
        #expect(answers[id]?.failure?.isOutcomeUnknown == true)
        let error = #expect(throws: NATSError.self) {
            try connection.rules.request(
                NATSSubject("r"), headers: NATSHeaders(), payload: [], timeout: .seconds(5), at: connection.now)
        }
        #expect(error?.code == .notConnected && error?.isOutcomeUnknown == false)
        _ = connection.passUntilAttempt()
        connection.greet()
        connection.hear("MSG \(connection.rules.inboxSubject).\(id) 1 2\r\nhi")
        #expect(connection.take().answers.isEmpty, "an answer that is too late is dropped")
    }

    @Test("The server's last words are the reason")
    func reasons() throws {
        let connection = try Self.connected()
        connection.hear("-ERR 'Stale Connection'")
        connection.lose()
        let events = connection.take().events
        #expect(events.first == .serverError("Stale Connection"))
        guard case .disconnected(let error)? = events.last else { return #expect(Bool(false)) }
        #expect(error.code == .refused && error.message.contains("Stale Connection"))
        // Much later, they are not.
        _ = connection.passUntilAttempt()
        connection.greet()
        connection.hear("-ERR 'Maximum Subscriptions Exceeded'")
        connection.pass(.seconds(10))
        connection.lose()
        guard case .disconnected(let later)? = connection.take().events.last else { return #expect(Bool(false)) }
        #expect(later.code == .connectionLost)
    }

    @Test("A breach of the protocol ends the connection, not the client")
    func violation() throws {
        let connection = try Self.connected()
        connection.hear("MSG a 1 99999999999999999999")
        #expect(connection.take().contains(.close))
        _ = connection.passUntilAttempt()
        connection.greet()
        #expect(connection.rules.isConnected)
    }

    @Test("Lame duck mode is told once")
    func lameDuck() throws {
        let connection = try Self.connected()
        let info = #"INFO {"server_id":"S","max_payload":1000,"ldm":true}"#
        connection.hear(info, info)
        #expect(connection.take().events == [.lameDuck(try NATSServer("one"))])
    }

    @Test(
        "Storms of losses in virtual time: subscriptions always come back, the buffer stays within its limit",
        arguments: 0..<20)
    func storm(seed: UInt64) throws {
        var random = SplitMix(seed)
        let connection = try Self.connected(servers: ["one", "two", "three"], seed: seed) { $0.maximumBuffered = 500 }
        var wanted: Set<UInt64> = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: wanted.insert(try connection.rules.subscribe(NATSSubjectFilter("s.*"), queue: nil))
            case 1:
                if let id = wanted.randomElement(using: &random) {
                    connection.rules.unsubscribe(id)
                    wanted.remove(id)
                }
            case 2: connection.lose()
            case 3: connection.pass(.milliseconds(Int64.random(in: 0...30_000, using: &random)))
            case 4: if connection.rules.phase == .opening { connection.greet() }
            case 5:
                try? connection.rules.publish(NATSSubject("a"), reply: nil, headers: NATSHeaders(), payload: [1, 2])
            case 6: connection.hear("PONG")
            default: connection.hear("garbage")
            }
            #expect(connection.rules.bufferedBytes <= 500)
            #expect(
                connection.rules.isConnected || connection.rules.nextDeadline != nil, "nothing would happen any more")
        }
        while !connection.rules.isConnected {
            _ = connection.passUntilAttempt()
            _ = connection.takeSaid()
            connection.greet()
        }
        let said = connection.takeSaid()
        if connection.rules.subscriptions.count == wanted.count, !said.isEmpty {
            for id in wanted { #expect(said.contains(" \(id)\r\n")) }
        }
        #expect(Set(connection.rules.subscriptions.keys) == wanted)
    }
}
