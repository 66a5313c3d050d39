import NIOCore
import Testing

@testable import RTCSignaling

private let post = "POST / HTTP/1.1\r\nHost: localhost\r\n"

@Suite("What a socket sends before it is a WebSocket")
struct BeforeUpgradeTests {
    private let server = VirtualServer {
        $0.page = StaticPage(files: ["/index.html": .init(contentType: "text/html", text: "<p>hello")])
    }

    private func connect(_ text: String) throws -> VirtualSocket {
        let socket = try #require(try server.connect(from: "192.0.2.1"))
        socket.send(Array(text.utf8))
        return socket
    }

    @Test(
        "Bytes behind a request that look like hundreds of frames are a body or a bad request, and end no server",
        arguments: [
            post + "Content-Length: 9000\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /signal HTTP/1.1\r\nHost: localhost\r\n\r\n", post + "Transfer-Encoding: chunked\r\n\r\n",
            RawSocket.handshake.replacing("Host:", with: "Origin: https://evil.example.org\r\nHost:"),
            RawSocket.handshake.replacing("Host:", with: "Content-Length: 9000\r\nHost:"),
            RawSocket.handshake.replacing("Version: 13", with: "Version: 12"),
        ], [UInt8(0), 0x81, 0xFF])
    func binaryBodies(head: String, byte: UInt8) throws {
        // At once, after the head, and while its end is awaited.
        for split in [head.utf8.count, head.utf8.count + 2_000, 30] {
            let socket = try #require(try server.connect(from: "192.0.2.1"))
            let bytes = Array(head.utf8) + [UInt8](repeating: byte, count: 4_096)
            socket.send(Array(bytes[..<split]))
            server.run()
            socket.send(Array(bytes[split...]))
            server.run()
            server.advance(.seconds(11))
            #expect(try !socket.took("rateLimited"), "that is for WebSockets")
            #expect(!socket.isOpen)
        }
        server.stop()
    }

    @Test("Hundreds of frames in one read with the upgrade request are too many, and end no server")
    func framesWithTheRequest() throws {
        for count in [250, 2_000] {
            let socket = try connect(
                RawSocket.handshake + String(decoding: [UInt8](repeating: 0, count: 2 * count), as: UTF8.self))
            server.advance(.seconds(3))
            #expect(!socket.isOpen)
        }
        let alice = try #require(try server.connect(from: "192.0.2.1"))
        alice.signIn("alice")
        server.run()
        #expect(try alice.took("welcome"))
        server.stop()
    }

    @Test("A body that begins like a frame is no frame: the next request of the connection is answered")
    func keptAlive() throws {
        let socket = try connect(post + "Content-Length: 1\r\n\r\n")
        server.run()
        // Of a frame, this would be the first half of its head.
        socket.send([0x81])
        server.run()
        #expect(try socket.took("HTTP/1.1 405 "))
        for _ in 0..<3 {
            socket.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            server.run()
            #expect(try socket.took("<p>hello"))
        }
        server.stop()
    }

    @Test("The head of a request is bounded: its fields, their number, and what is between them")
    func heads() throws {
        let start = "GET / HTTP/1.1\r\nHost: localhost\r\n"
        for (name, part) in [
            ("fields", "X-1: \(String(repeating: "x", count: 1_000))\r\n"), ("small fields", "X: x\r\n"),
            ("one field", String(repeating: "x", count: 1_000)),
            ("spaces", "X:" + String(repeating: " ", count: 1_000)),
        ] {
            let socket = try connect(start)
            if name == "spaces" { socket.send(Array("X:".utf8)) }
            var sent = 0
            while socket.isOpen, sent < 1_000_000 {
                let bytes = Array((name == "spaces" ? String(repeating: " ", count: 1_000) : part).utf8)
                socket.send(bytes)
                server.run()
                sent += bytes.count
            }
            #expect(sent <= 40_000, "\(name)")
        }
        // What browsers and proxies send fits.
        let fields = (0..<50).map { "X-\($0): \(String(repeating: "x", count: 200))\r\n" }.joined()
        let socket = try connect(start + fields + "\r\n")
        server.run()
        #expect(try socket.took("<p>hello"))
        server.stop()
    }

    @Test("A body is bounded, whatever is in it")
    func bodies() throws {
        for end in ["x", "\r\n\r\n", "\0", "\u{81}"] {
            let socket = try connect(post + "Content-Length: 1000000000\r\n\r\n")
            let part = Array((String(repeating: "x", count: 900) + end).utf8)
            var sent = 0
            while socket.isOpen, sent < 1_000_000 {
                socket.send(part)
                server.run()
                sent += part.count
            }
            #expect(sent <= 40_000)
        }
        server.stop()
    }

    @Test("Heads that are never completed count as memory: of those that hold most, some are dropped; small ones stay")
    func memoryOfHeads() throws {
        let server = VirtualServer { $0.limits.waitingBytes = 1_000_000 }
        let small = try #require(try server.connect(from: "192.0.2.9"))
        small.send(Array("GET / HTTP/1.1\r\nHost: local".utf8))
        let field = Array("X: \(String(repeating: "x", count: 7_000))\r\n".utf8)
        var sockets: [VirtualSocket] = []
        for number in 0..<100 {
            let socket = try #require(try server.connect(from: "192.0.2.\(number % 4)"))
            socket.send(Array("GET / HTTP/1.1\r\n".utf8) + field)
            sockets.append(socket)
            server.run()
        }
        server.advance(.seconds(2))
        #expect(sockets.count(where: \.isOpen) < 80)
        #expect(sockets.count(where: \.isOpen) > 30)
        small.send(Array("host\r\n\r\n".utf8))
        server.run()
        #expect(try small.took("HTTP/1.1 404 "))
        server.stop()
    }

    @Test("Of an origin the scheme counts too: a page without TLS may not connect to a server with it")
    func schemes() throws {
        for (hasTLS, scheme, isAllowed) in [
            (true, "https", true), (true, "http", false), (false, "http", true),
            // A proxy may have it.
            (false, "https", true), (false, "ftp", false), (true, "HTTPS", false),
        ] {
            let server = VirtualServer {
                if hasTLS { $0.tls = .init(certificateFile: "", privateKeyFile: "") }
            }
            let socket = try #require(try server.connect(from: "192.0.2.1"))
            let origin = "Origin: \(scheme)://localhost\r\nHost:"
            socket.send(Array(RawSocket.handshake.replacing("Host:", with: origin).utf8))
            server.run()
            #expect(try socket.took(isAllowed ? "HTTP/1.1 101 " : "HTTP/1.1 403 "), "\(scheme), TLS: \(hasTLS)")
            server.stop()
        }
    }
}
