import Testing

@testable import RTCSignaling

@Suite("The server's other paths", .serialized)
struct HTTPTests {
    private func get(_ server: SignalingServer, _ head: String) async throws -> String {
        let socket = try await RawSocket(server)
        socket.send(head.replacing("\n", with: "\r\n") + "\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try await socket.readAll()
    }

    @Test("Files, health, figures, and what is not there")
    func paths() async throws {
        try await withServer {
            $0.servesMetrics = true
            $0.page = StaticPage(
                files: ["/index.html": .init(contentType: "text/html", text: "<p>hello")],
                headers: [("Content-Security-Policy", "default-src 'none'")])
        } _: { server in
            let index = try await get(server, "GET /?call=bob HTTP/1.1")
            #expect(index.hasPrefix("HTTP/1.1 200 "))
            #expect(index.hasSuffix("\r\n\r\n<p>hello"))
            #expect(index.contains("Content-Security-Policy: default-src 'none'\r\n"))
            #expect(index.contains("X-Content-Type-Options: nosniff\r\n"))
            let head = try await get(server, "HEAD / HTTP/1.1")
            #expect(head.contains("Content-Length: 8\r\n"))
            #expect(head.hasSuffix("\r\n\r\n"))
            #expect(try await get(server, "GET /healthz HTTP/1.1").hasSuffix("\r\n\r\nok\n"))
            let metrics = try await get(server, "GET /metrics HTTP/1.1")
            #expect(metrics.contains("duet_signaling_sockets 1\n"))
            #expect(metrics.contains("# TYPE duet_signaling_invites_total counter\n"))
            #expect(metrics.contains("duet_signaling_http_requests_total 4\n"), "those before, and this one")
            let openMetrics = try await get(server, "GET /metrics HTTP/1.1\nAccept: application/openmetrics-text")
            #expect(openMetrics.hasSuffix("\n# EOF\n"))
            for path in ["/nothing", "/../etc/passwd", "/index.html/", "//", "/%2e%2e/", "*"] {
                #expect(try await get(server, "GET \(path) HTTP/1.1").hasPrefix("HTTP/1.1 404 "), "\(path)")
            }
            #expect(try await get(server, "POST / HTTP/1.1").hasPrefix("HTTP/1.1 405 "))
            #expect(try await get(server, "GET /signal HTTP/1.1").hasPrefix("HTTP/1.1 426 "))
            #expect(try await get(server, "NONSENSE").hasPrefix("HTTP/1.1 400 "))
            // Whatever it says of such a header, it says it and is done.
            _ = try await get(server, "GET / HTTP/1.1\nX: " + String(repeating: "x", count: 200_000))
        }
        try await withServer { server in
            let metrics = try await get(server, "GET /metrics HTTP/1.1")
            #expect(metrics.hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("The call page is not embedded, not reached by what opened it, and loads nothing of others")
    func callPage() async throws {
        try await withServer {
            $0.page = .call
        } _: { server in
            for path in ["/", "/call/main.js"] {
                let answer = try await get(server, "GET \(path) HTTP/1.1")
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path)")
                #expect(answer.contains("Content-Security-Policy: default-src 'none'; "))
                #expect(answer.contains("frame-ancestors 'none'"))
                #expect(answer.contains("Cross-Origin-Opener-Policy: same-origin\r\n"))
            }
        }
    }

    @Test("A request by a name that is not the server's is refused, whatever it asks for: DNS rebinding")
    func hosts() async throws {
        try await withServer {
            $0.names = ["calls.example.org", "*.Example.net"]
            $0.page = StaticPage(files: ["/index.html": .init(contentType: "text/html", text: "<p>hello")])
        } _: { server in
            for (host, isKnown) in [
                ("localhost", true), ("LOCALHOST:80", true), ("127.0.0.1:\(server.port)", true), ("[::1]:8080", true),
                ("calls.example.org", true), ("Calls.Example.org.:443", true), ("a.example.net", true),
                ("evil.example.com", false), ("evil.example.com:80", false), ("localhost.evil.example.com", false),
                ("127.0.0.1.evil.example.com", false), ("b.a.example.net", false), ("example.net", false), ("", false),
                ("evil.example.com\r\nHost: localhost", false), ("[evil.example.com]", false),
            ] {
                // As the rebound page sends it: its origin is its host.
                let fields = "Host: \(host)\r\nOrigin: http://\(host.prefix { $0 != "\r" })"
                for path in ["/", "/healthz", "/nothing"] {
                    let socket = try await RawSocket(server)
                    socket.send("GET \(path) HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n")
                    let answer = try await socket.readAll()
                    let status = !isKnown ? "421" : path == "/nothing" ? "404" : "200"
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host) \(path)")
                }
                let socket = try await RawSocket(server)
                socket.send(RawSocket.handshake.replacing("Host: localhost", with: fields))
                let head = try await socket.read(until: "\r\n\r\n")
                #expect(head.hasPrefix(isKnown ? "HTTP/1.1 101 " : "HTTP/1.1 421 "), "\(host)")
                await socket.close()
            }
        }
    }

    @Test("Pages of other origins may not connect, unless they are allowed")
    func origins() async throws {
        try await withServer {
            $0.allowedOrigins = ["https://friend.example.org"]
        } _: { server in
            for (origin, isAllowed) in [
                ("http://localhost", true), ("https://localhost", true), ("https://friend.example.org", true),
                ("https://evil.example.org", false), ("null", false), ("http://localhost.evil.example.org", false),
            ] {
                let socket = try await RawSocket(server)
                socket.send(RawSocket.handshake.replacing("Host:", with: "Origin: \(origin)\r\nHost:"))
                let head = try await socket.read(until: "\r\n\r\n")
                #expect(head.hasPrefix(isAllowed ? "HTTP/1.1 101 " : "HTTP/1.1 403 "), "\(origin)")
                if isAllowed { #expect(head.lowercased().contains("sec-websocket-protocol: duet.signaling.v1")) }
                await socket.close()
            }
        }
    }
}
