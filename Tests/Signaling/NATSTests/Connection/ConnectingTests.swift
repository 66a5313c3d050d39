import RTCWire
import Testing

@testable import NATS

@Suite("Connecting to NATS")
struct ConnectingTests {
    @Test("INFO is answered with CONNECT and PING, and PONG means connected")
    func greeting() throws {
        let connection = try VirtualConnection {
            $0.credentials = .password(user: "joe", password: "se\"cret")
            $0.name = "node"
        }
        connection.start()
        #expect(connection.take() == [.open(try NATSServer("one"), tlsFirst: false)])
        connection.open()
        #expect(connection.takeSaid() == "")
        connection.hear(VirtualConnection.info)
        let said = connection.takeSaid()
        #expect(said.hasPrefix("CONNECT {") && said.hasSuffix("}\r\nPING\r\n"))
        for part in [
            #""user":"joe""#, #""pass":"se\"cret""#, #""no_responders":true"#, #""name":"node""#,
            #""tls_required":false"#,
        ] {
            #expect(said.contains(part), "\(part)")
        }
        #expect(connection.take().start == nil)
        connection.hear("PONG")
        let effects = connection.take()
        #expect(effects.start == .some(nil))
        #expect(connection.rules.isConnected && connection.rules.info.serverName == "one")
        #expect(connection.takeSaid() == "SUB \(connection.rules.inboxSubject).* 1\r\n")
    }

    @Test("Each server is tried once before connecting fails, and a refusal is told rather than silence")
    func everyServer() throws {
        let connection = try VirtualConnection(servers: ["one", "two", "three"])
        connection.start()
        connection.open()
        connection.hear(VirtualConnection.info, "-ERR 'Authorization Violation'")
        connection.lose()
        for _ in 0..<2 {
            _ = connection.passUntilAttempt()
            connection.lose(NATSError(.unreachable, "no"))
        }
        let effects = connection.take()
        #expect(Set(effects.opened.map(\.host)) == ["one", "two", "three"])
        #expect(effects.start??.code == .unauthorized && effects.finish??.code == .unauthorized)
        #expect(connection.rules.nextDeadline == nil)
    }

    @Test("Secrets are not in errors and events")
    func secrets() throws {
        let connection = try VirtualConnection { $0.credentials = .token("hush-hush") }
        connection.start()
        connection.open()
        connection.hear(VirtualConnection.info, "-ERR 'Authorization Violation'")
        connection.lose()
        #expect(!"\(connection.take())".contains("hush"))
        #expect("\(NATSCredentials.password(user: "joe", password: "hush"))" == "the password of joe")
        var dumped = ""
        dump([NATSCredentials.password(user: "joe", password: "hush"), .token("hush-hush")], to: &dumped)
        #expect(!dumped.contains("hush"))
    }

    @Test("The order of the servers is random")
    func order() throws {
        var first: Set<String> = []
        for seed in 0..<40 {
            let connection = try VirtualConnection(servers: ["one", "two", "three"], seed: UInt64(seed))
            connection.start()
            first.formUnion(connection.take().opened.map(\.host))
        }
        #expect(first == ["one", "two", "three"])
    }

    @Test("A server that says nothing is left after the time for connecting")
    func silence() throws {
        let connection = try VirtualConnection(servers: ["one", "two"])
        connection.start()
        connection.open()
        connection.pass(.seconds(5))
        let effects = connection.take()
        #expect(effects.contains(.close) && effects.opened.count == 2)
        // Nor is it enough to say INFO.
        connection.open()
        connection.hear(VirtualConnection.info)
        connection.pass(.seconds(5))
        #expect(connection.take().finish??.code == .unreachable)
    }

    @Test("With TLS, a server that offers none gets no credentials")
    func noDowngrade() throws {
        let connection = try VirtualConnection {
            $0.tls = .afterInfo
            $0.credentials = .token("secret")
        }
        connection.start()
        connection.open()
        connection.hear(VirtualConnection.info)
        #expect(connection.take().start??.code == .untrusted)
        #expect(connection.takeSaid() == "")
    }

    @Test("Without TLS, a server that requires it gets no credentials")
    func requiredTLS() throws {
        let connection = try VirtualConnection { $0.credentials = .token("secret") }
        connection.start()
        connection.open()
        connection.hear(#"INFO {"server_id":"S","max_payload":1000,"tls_required":true}"#)
        #expect(connection.take().start??.code == .untrusted)
        #expect(connection.takeSaid() == "")
    }

    private static let secure =
        #"INFO {"server_id":"S","max_payload":1000,"tls_required":true,"connect_urls":["evil.example:4222"]}"#

    @Test("TLS after INFO: secured before CONNECT, and nothing said in the clear behind INFO counts")
    func afterInfo() throws {
        let connection = try VirtualConnection {
            $0.tls = .afterInfo
            $0.acceptsAdvertisedServers = true
        }
        connection.start()
        connection.open()
        connection.hear(Self.secure)
        #expect(connection.take().contains(.secure(try NATSServer("one"))))
        #expect(connection.takeSaid() == "" && connection.rules.servers.count == 1)
        connection.rules.secured(at: connection.now)
        let said = connection.takeSaid()
        #expect(said.hasPrefix("CONNECT ") && said.contains(#""tls_required":true"#))
        connection.hear("PONG")
        #expect(connection.rules.isConnected)
        // When it is said again on the secured connection, it counts.
        connection.hear(Self.secure)
        #expect(connection.rules.servers.map(\.host).contains("evil.example"))

        let injected = try VirtualConnection { $0.tls = .afterInfo }
        injected.start()
        injected.open()
        injected.hear(Self.secure + "\r\nPONG")
        #expect(injected.take().start??.code == .untrusted)
    }

    @Test("TLS first: the channel is secured when it is open")
    func first() throws {
        let connection = try VirtualConnection { $0.tls = .first }
        connection.start()
        #expect(connection.take() == [.open(try NATSServer("one"), tlsFirst: true)])
        connection.greet()
        #expect(connection.rules.isConnected)
    }

    @Test(
        "What is no NATS server is left at once",
        arguments: [
            "PING", "HTTP/1.1 400 Bad Request", "MSG a 1 0\r\n", "INFO", "INFO []", "INFO {}",
            #"INFO {"server_id":"S","max_payload":-1}"#, "+OK",
        ])
    func others(line: String) throws {
        let connection = try VirtualConnection()
        connection.start()
        connection.open()
        connection.hear(line)
        let effects = connection.take()
        #expect(effects.contains(.close) && effects.start??.code == .protocolViolation)
    }

    @Test("Servers that a server names are taken over only if the options allow it, and limited in number")
    func advertised() throws {
        let names = (0..<200).map { "\"10.0.0.\($0):4222\"" }.joined(separator: ",")
        let info = #"INFO {"server_id":"S","max_payload":1000,"connect_urls":[\#(names),"bad host","x:0"]}"#
        let connection = try VirtualConnection()
        connection.start()
        connection.greet(info)
        #expect(connection.rules.servers.count == 1)
        let accepting = try VirtualConnection { $0.acceptsAdvertisedServers = true }
        accepting.start()
        accepting.greet(info)
        #expect(accepting.rules.servers.count == 65)
        // The next list replaces the earlier one; the configured server stays.
        accepting.hear(#"INFO {"server_id":"S","max_payload":1000,"connect_urls":["10.1.0.1:4222"]}"#)
        #expect(Set(accepting.rules.servers.map(\.host)) == ["one", "10.1.0.1"])
    }

    @Test(
        "Which servers have a compare-and-set with replicas",
        arguments: [
            ("2.9.10", false), ("2.10.29", false), ("2.11.0", true), ("2.15.1", true), ("3.0", true),
            ("2.11.0-RC.1", true), ("", false),
            ("x", false), ("2", false), ("-2.99", false),
        ])
    func versions(version: String, isGood: Bool) {
        var info = NATSServerInfo()
        info.version = version
        #expect(info.hasReplicatedCompareAndSet == isGood)
    }
}
