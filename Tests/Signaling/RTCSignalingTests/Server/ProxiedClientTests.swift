import NIOCore
import Synchronization
import Testing

@testable import RTCSignaling

@Suite("Clients behind trusted proxies")
struct ProxiedClientTests {
    private static let proxy = "10.0.0.1"

    private func makeServer(
        _ header: ProxyTrust.Header = .xForwardedFor, _ proxyProtocol: ProxyTrust.ProxyProtocol = .off,
        trusting networks: [String] = ["10.0.0.0/8", "127.0.0.1"],
        _ change: (inout SignalingServer.Configuration) -> Void = { _ in }
    ) throws -> VirtualServer {
        var trust = ProxyTrust()
        trust.networks = try TrustedNetworks(networks)
        (trust.header, trust.proxyProtocol) = (header, proxyProtocol)
        return VirtualServer {
            $0.proxies = trust
            $0.limits.socketsPerAddress = 2
            change(&$0)
        }
    }

    /// A request to become a WebSocket, with these fields.
    private func upgrade(_ fields: String..., host: String = "localhost") -> [UInt8] {
        let lines = (["Host: \(host)"] + fields).joined(separator: "\r\n")
        return Array(RawSocket.handshake.replacing("Host: localhost", with: lines).utf8)
    }

    private func get(_ path: String, _ fields: String...) -> [UInt8] {
        let lines = (["GET \(path) HTTP/1.1", "Host: localhost"] + fields).joined(separator: "\r\n")
        return Array((lines + "\r\n\r\n").utf8)
    }

    private func connect(_ server: VirtualServer, from address: String = ProxiedClientTests.proxy, _ bytes: [UInt8])
        throws -> VirtualSocket
    {
        let socket = try #require(try server.connect(from: address))
        socket.send(bytes)
        server.run()
        return socket
    }

    @Test("Each client has limits of its own, whatever it writes into its own field")
    func limitsPerClient() throws {
        let server = try makeServer()
        for field in ["192.0.2.1", "198.51.100.9, 192.0.2.1"] {
            let socket = try connect(server, upgrade("X-Forwarded-For: \(field)"))
            #expect(try socket.took("HTTP/1.1 101 "), "\(field)")
        }
        let refused = try connect(server, upgrade("X-Forwarded-For: 198.51.100.10, 192.0.2.1, 10.0.0.7"))
        #expect(try refused.took("HTTP/1.1 429 "))
        #expect(!refused.isOpen)
        let other = try connect(server, upgrade("X-Forwarded-For: 192.0.2.2"))
        #expect(try other.took("HTTP/1.1 101 "))
        let wide = try connect(server, upgrade("X-Forwarded-For: 2001:db8::1"))
        #expect(try wide.took("HTTP/1.1 101 "))
        server.stop()
    }

    @Test("A connection that is closed is taken off its client's count")
    func released() throws {
        let server = try makeServer()
        for _ in 0..<10 {
            let socket = try connect(server, upgrade("X-Forwarded-For: 192.0.2.1"))
            #expect(try socket.took("HTTP/1.1 101 "))
            socket.close()
            server.run()
        }
        #expect(server.statistics.sockets == 0)
        server.stop()
    }

    @Test("Requests of several clients in one connection count to each of them")
    func sharedConnection() throws {
        let server = try makeServer()
        let shared = try connect(server, get("/healthz", "X-Forwarded-For: 192.0.2.1"))
        #expect(try shared.took("HTTP/1.1 200 "))
        for _ in 0..<2 {
            let socket = try connect(server, upgrade("X-Forwarded-For: 192.0.2.2"))
            #expect(try socket.took("HTTP/1.1 101 "))
        }
        // The second client has as many as it may; the first one has given its place back by then.
        shared.send(get("/healthz", "X-Forwarded-For: 192.0.2.3"))
        server.run()
        #expect(try shared.took("HTTP/1.1 200 "))
        for _ in 0..<2 {
            let socket = try connect(server, upgrade("X-Forwarded-For: 192.0.2.1"))
            #expect(try socket.took("HTTP/1.1 101 "))
        }
        shared.send(get("/healthz", "X-Forwarded-For: 192.0.2.2"))
        server.run()
        #expect(try shared.took("HTTP/1.1 429 "))
        server.stop()
    }

    @Test("What an address that is not trusted reports is ignored")
    func forged() throws {
        let server = try makeServer { $0.names = [] }
        for field in ["X-Forwarded-For: 198.51.100.1", "Forwarded: for=198.51.100.2"] {
            let socket = try connect(server, from: "192.0.2.9", upgrade(field))
            #expect(try socket.took("HTTP/1.1 101 "))
        }
        let third = try server.connect(from: "192.0.2.9")
        #expect(third == nil, "both count to its own address")
        let host = try connect(
            server, from: "192.0.2.10", upgrade("X-Forwarded-Host: localhost", host: "evil.example"))
        #expect(try host.took("HTTP/1.1 421 "))
        #expect(server.statistics.malformedForwarding == 0 && server.statistics.unknownClients == 0)
        server.stop()
    }

    @Test("Only the configured field is read: a proxy passes on the others as the client wrote them")
    func otherField() throws {
        for (header, field, other) in [
            (.xForwardedFor, "X-Forwarded-For: 192.0.2.1", "Forwarded: for="),
            (.forwarded, "Forwarded: for=192.0.2.1", "X-Forwarded-For: "),
        ] as [(ProxyTrust.Header, String, String)] {
            let server = try makeServer(header)
            for number in 1...2 {
                let socket = try connect(server, upgrade("\(other)198.51.100.\(number)", field))
                #expect(try socket.took("HTTP/1.1 101 "))
            }
            let refused = try connect(server, upgrade("\(other)198.51.100.3", field))
            #expect(try refused.took("HTTP/1.1 429 "))
            server.stop()
        }
    }

    @Test(
        "Clients of a proxy on this machine have limits: also those that pretend to be on it, and those without an address",
        arguments: ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: ::1", "X-Forwarded-For: garbage", "X-Unrelated: 1"])
    func loopback(field: String) throws {
        let server = try makeServer()
        for _ in 0..<2 {
            let socket = try connect(server, from: "127.0.0.1", upgrade(field))
            #expect(try socket.took("HTTP/1.1 101 "))
        }
        let refused = try connect(server, from: "127.0.0.1", upgrade(field))
        #expect(try refused.took("HTTP/1.1 429 "))
        server.stop()
    }

    @Test("Malformed values and unknown clients are counted")
    func counted() throws {
        let server = try makeServer()
        _ = try connect(server, get("/healthz", "X-Forwarded-For: garbage", "X-Forwarded-Proto: gopher"))
        #expect(server.statistics.malformedForwarding == 2)
        #expect(server.statistics.unknownClients == 1)
        server.stop()
    }

    @Test("Credentials for relays name the client's network")
    func relays() throws {
        let server = try makeServer {
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        }
        for (client, name) in [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8:7:1::1", "2001-db8-7"), ("127.0.0.1", "127.0.0.1"),
        ] {
            let socket = try connect(server, upgrade("X-Forwarded-For: \(client)"))
            socket.sendText(#"{"type":"hello","version":1,"user":"u-\#(name)","device":"d"}"#)
            server.run()
            #expect(try socket.took(":network-\(name)\""), "\(client)")
            socket.close()
            server.run()
        }
        server.stop()
    }

    @Test("Host and scheme are those that the proxy reports")
    func rewrittenHost() throws {
        let server = try makeServer { $0.names = ["calls.example.org"] }
        let cases: [([String], Int)] = [
            (["X-Forwarded-Host: calls.example.org"], 101), ([], 421), (["X-Forwarded-Host: evil.example"], 421),
            (["X-Forwarded-Host: calls.example.org", "Origin: https://calls.example.org"], 101),
            (["X-Forwarded-Host: calls.example.org", "Origin: https://inner.example"], 403),
            (
                [
                    "X-Forwarded-Host: calls.example.org", "X-Forwarded-Proto: https",
                    "Origin: http://calls.example.org",
                ], 403
            ),
            (
                [
                    "X-Forwarded-Host: calls.example.org", "X-Forwarded-Proto: https",
                    "Origin: https://calls.example.org",
                ], 101
            ),
            (
                ["X-Forwarded-Host: calls.example.org", "X-Forwarded-Proto: http", "Origin: http://calls.example.org"],
                101
            ),
            // Two hosts are refused, whatever the proxy makes of them.
            (["X-Forwarded-Host: calls.example.org", "Host: calls.example.org"], 421),
        ]
        for (number, (fields, status)) in cases.enumerated() {
            let lines = (["Host: duet", "X-Forwarded-For: 192.0.2.\(number)"] + fields).joined(separator: "\r\n")
            let request = RawSocket.handshake.replacing("Host: localhost", with: lines)
            let socket = try connect(server, Array(request.utf8))
            #expect(try socket.took("HTTP/1.1 \(status) "), "\(fields)")
        }
        server.stop()
    }

    @Test("The PROXY protocol: the client's address counts before its first request, in any parts")
    func proxyProtocol() throws {
        let server = try makeServer(.none, .required)
        let line = Array("PROXY TCP4 192.0.2.1 10.0.0.1 40000 443\r\n".utf8)
        for cut in [line.count, 5] {
            let socket = try #require(try server.connect(from: Self.proxy))
            socket.send(Array(line[..<cut]))
            server.run()
            socket.send(Array(line[cut...]) + upgrade("X-Forwarded-For: 198.51.100.1"))
            server.run()
            #expect(try socket.took("HTTP/1.1 101 "))
        }
        let refused = try connect(server, line)
        #expect(!refused.isOpen, "a third one of that client")
        let other = try connect(server, Array("PROXY TCP6 2001:db8::1 ::1 1 2\r\n".utf8) + upgrade())
        #expect(try other.took("HTTP/1.1 101 "))
        server.stop()
    }

    @Test("The PROXY protocol is required of proxies, and is not understood from others")
    func proxyProtocolRequired() throws {
        let server = try makeServer(.none, .required)
        for bytes in [upgrade(), Array("PROXY TCP4 garbage\r\n".utf8)] {
            let refused = try connect(server, bytes)
            #expect(!refused.isOpen)
        }
        #expect(server.statistics.malformedForwarding == 2)
        let stranger = try connect(
            server, from: "192.0.2.9", Array("PROXY TCP4 198.51.100.1 10.0.0.1 1 2\r\n".utf8) + upgrade())
        #expect(try !stranger.took("HTTP/1.1 101 "))
        let direct = try connect(server, from: "192.0.2.9", upgrade())
        #expect(try direct.took("HTTP/1.1 101 "))
        server.stop()
    }

    @Test("The PROXY protocol and a field: the field counts only from a proxy, which the header names")
    func both() throws {
        let server = try makeServer(.xForwardedFor, .optional) {
            $0.iceServers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
            $0.relayCredentials = RelayCredentials(secret: "north")
        }
        for (user, header, name) in [
            ("a", "PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r\n", "192.0.2.7"),
            ("b", "PROXY TCP4 10.0.0.9 10.0.0.1 1 2\r\n", "198.51.100.1"), ("c", "", "198.51.100.1"),
            ("d", "PROXY UNKNOWN\r\n", "10.0.0.1"),
        ] {
            let socket = try connect(server, Array(header.utf8) + upgrade("X-Forwarded-For: 198.51.100.1"))
            socket.sendText(#"{"type":"hello","version":1,"user":"\#(user)","device":"d"}"#)
            server.run()
            #expect(try socket.took(":network-\(name)\""), "\(header)")
            socket.close()
            server.run()
        }
        server.stop()
    }

    @Test("The access log has the client, and neither a query nor a token")
    func accessLog() throws {
        let lines = Lines()
        let server = try makeServer { $0.accessLog = { lines.add($0.json) } }
        let page = try connect(
            server, get("/nothing?token=hunter2", "X-Forwarded-For: 192.0.2.1", "Authorization: hunter2"))
        page.close()
        let socket = try connect(server, upgrade("X-Forwarded-For: 192.0.2.2"))
        socket.sendText(#"{"type":"hello","version":1,"user":"alice","device":"d","token":"hunter2"}"#)
        server.run()
        socket.close()
        server.run()
        let found = lines.all
        #expect(found.count == 3)
        #expect(!found.contains { $0.contains("hunter2") })
        let common = #""client":"192.0.2.1","proxy":"10.0.0.1""#
        #expect(found.first?.contains(#"\#(common),"method":"GET","path":"/nothing","status":404,"#) == true)
        #expect(found.dropFirst().first?.contains(#""path":"/signal","status":101,"#) == true)
        #expect(found.last?.contains(#""event":"sessionEnded","client":"192.0.2.2""#) == true)
        #expect(found.last?.contains(#""user":"alice""#) == true)
        server.stop()
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }
}
