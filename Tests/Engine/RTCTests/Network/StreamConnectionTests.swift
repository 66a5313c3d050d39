import EventLoopTesting
import NIOCore
import NIOPosix
import NIOSSL
import RTCCrypto
import RTCWire
import Testing

@testable import RTC

@Suite("Stream connections", .timeLimit(.minutes(1)))
struct StreamConnectionTests {
    @Test("Bytes go both ways, over IPv4 and IPv6", arguments: ["127.0.0.1", "::1"])
    func plain(address: String) async throws {
        let ip = try #require(IPAddress(address))
        let server = try await EchoServer.start(on: ip)
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(to: server.address, on: loop, owner: owner)
            #expect(connection.state == .connecting && !connection.isWritable)
            try await wait(isolation: test) { owner.isOpen }
            #expect(connection.state == .open && connection.isWritable)
            #expect(connection.localAddress?.ip == ip && connection.remoteAddress == server.address)
            #expect(owner.send("hello", on: connection))
            try await wait(isolation: test) { owner.received.count == 5 }
            #expect(owner.received == Array("hello".utf8))
            #expect(owner.bursts >= 1)
            #expect(connection.statistics.bytesSent == 5 && connection.statistics.bytesReceived == 5)
            connection.close()
            #expect(connection.state == .closed && !owner.send("x", on: connection))
            #expect(owner.reason == nil)
        }
        try await server.stop()
    }

    @Test("The local address can be chosen")
    func localAddress() async throws {
        let server = try await EchoServer.start()
        try await onEventLoop { test, loop in
            let owner = Owner()
            let local = IPAddress(127, 0, 0, 7)
            let connection = StreamConnection.connect(to: server.address, from: local, on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen || owner.reason != nil }
            #expect(connection.localAddress?.ip == local)
            let stray = Owner()
            let other = StreamConnection.connect(
                to: server.address, from: IPAddress(192, 0, 2, 1), on: loop, owner: stray)
            try await wait(isolation: test) { stray.reason != nil }
            var isUnreachable = false
            if case .unreachable = stray.reason { isUnreachable = true }
            #expect(isUnreachable && other.state == .closed, "\(String(describing: stray.reason))")
        }
        try await server.stop()
    }

    @Test(
        "Megabytes arrive whole and in order when the sender minds the back pressure, over TLS too", arguments: [0, 1])
    func bulk(tls: Int) async throws {
        let server = try await EchoServer.start(tls: tls == 1 ? .good : nil)
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(
                to: server.address, tls: tls == 1 ? Self.trusting("turn.example") : nil, on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen }
            var sent = 0
            while sent < 100 {
                try await wait(isolation: test, atMost: .seconds(20)) { connection.isWritable }
                let chunk = [UInt8](repeating: UInt8(sent & 255), count: 20_000)
                #expect(chunk.withUnsafeBytes { connection.send($0) })
                sent += 1
            }
            try await wait(isolation: test, atMost: .seconds(20)) { owner.received.count == 2_000_000 }
            #expect(owner.received.count == 2_000_000)
            #expect(owner.received.indices.allSatisfy { owner.received[$0] == UInt8(($0 / 20_000) & 255) })
            #expect(connection.statistics.sendsDropped == 0)
        }
        try await server.stop()
    }

    @Test("A reader that does not read costs a bounded number of bytes, and what is dropped is dropped whole")
    func slowReader() async throws {
        let server = try await EchoServer.start(reads: false)
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(to: server.address, on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen }
            let chunk = [UInt8](repeating: 7, count: 10_000)
            var taken = 0
            for number in 0..<3_000 {
                if chunk.withUnsafeBytes({ connection.send($0) }) { taken += 1 }
                #expect(connection.pendingBytes <= StreamConnection.maximumPendingBytes)
                if number % 100 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            #expect(taken < 3_000 && !connection.isWritable)
            #expect(connection.statistics.sendsDropped == UInt64(3_000 - taken))
            #expect(connection.statistics.bytesSent == UInt64(taken * 10_000))
            // The server begins to read: there is room again, and all that was taken arrives.
            server.resume()
            try await wait(isolation: test) { owner.writableCalls > 0 && server.bytesRead == taken * 10_000 }
            #expect(owner.writableCalls > 0 && connection.isWritable)
            #expect(server.bytesRead == taken * 10_000)
        }
        try await server.stop()
    }

    @Test("The other side's end is told, once")
    func remoteEnd() async throws {
        let server = try await EchoServer.start()
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(to: server.address, on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen }
            owner.send("bye", on: connection)
            try await wait(isolation: test) { owner.reason != nil }
            #expect(owner.reason == .closedByPeer && owner.endings == 1)
            #expect(connection.state == .closed)
        }
        try await server.stop()
    }

    @Test("Nobody listens: refused at once")
    func refused() async throws {
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(
                to: TransportAddress(ip: IPAddress(127, 0, 0, 1), port: 1), on: loop, owner: owner)
            try await wait(isolation: test) { owner.reason != nil }
            #expect(owner.reason == .refused && connection.state == .closed)
        }
    }

    @Test("A server that never answers costs the time-out: no TCP, or no TLS behind it", arguments: [0, 1])
    func silence(tls: Int) async throws {
        let server = try await EchoServer.start(reads: false)
        try await onEventLoop { test, loop in
            let owner = Owner()
            // 10.77.0.254 is nobody: behind a route, and silent.
            let silent = TransportAddress(ip: IPAddress(10, 77, 0, 254), port: 3478)
            let start = NIODeadline.now()
            let connection = StreamConnection.connect(
                to: tls == 1 ? server.address : silent, tls: tls == 1 ? Self.trusting("turn.example") : nil,
                timeout: .milliseconds(300), on: loop, owner: owner)
            try await wait(isolation: test) { owner.reason != nil }
            let time = NIODeadline.now() - start
            #expect(owner.reason == .timedOut && time >= .milliseconds(290) && time < .seconds(2))
            #expect(!owner.isOpen && connection.state == .closed)
        }
        try await server.stop()
    }

    @Test(
        "TLS with our own authority: by name, by address, and with a dot at the end",
        arguments: ["turn.example", "TURN.example", "localhost", "127.0.0.1", "turn.example."])
    func secure(name: String) async throws {
        let server = try await EchoServer.start(tls: .good)
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(
                to: server.address, tls: Self.trusting(name), on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen || owner.reason != nil }
            #expect(owner.isOpen, "\(String(describing: owner.reason))")
            owner.send("secret", on: connection)
            try await wait(isolation: test) { owner.received.count == 6 }
            #expect(owner.received == Array("secret".utf8))
        }
        try await server.stop()
    }

    @Test("TLS to an IPv6 address")
    func secureIPv6() async throws {
        let server = try await EchoServer.start(on: IPAddress(v6High: 0, low: 1), tls: .good)
        try await onEventLoop { test, loop in
            let owner = Owner()
            let connection = StreamConnection.connect(
                to: server.address, tls: Self.trusting("::1"), on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen || owner.reason != nil }
            #expect(owner.isOpen && connection.state == .open, "\(String(describing: owner.reason))")
        }
        try await server.stop()
    }

    @Test("A certificate that does not stand up is told from others that do not, and nothing is sent")
    func untrusted() async throws {
        let good = try await EchoServer.start(tls: .good)
        let expired = try await EchoServer.start(tls: .expired)
        let plain = try await EchoServer.start()
        let other = StreamConnection.TLS(
            trust: .authorities(pem: TestCertificates.otherAuthority), serverName: "turn.example")
        let nobody = StreamConnection.TLS(trust: .authorities(pem: "no PEM"), serverName: "turn.example")
        try await onEventLoop { test, loop in
            for (server, tls, expected) in [
                (good, Self.trusting("other.example"), StreamFailure.wrongName(expected: "other.example")),
                (good, Self.trusting("127.0.0.2"), nil),
                (good, other, .untrusted),
                (good, StreamConnection.TLS(serverName: "turn.example"), .untrusted),
                (expired, Self.trusting("turn.example"), .expired),
                (good, nobody, .noAuthorities),
            ] {
                let owner = Owner()
                var address = server.address
                if tls.serverName == "127.0.0.2" { address.ip = IPAddress(127, 0, 0, 2) }
                let connection = StreamConnection.connect(to: address, tls: tls, on: loop, owner: owner)
                try await wait(isolation: test) { owner.isOpen || owner.reason != nil }
                #expect(!owner.isOpen && connection.state == .closed)
                #expect(!owner.send("password", on: connection))
                if let expected { #expect(owner.reason == expected) } else { #expect(owner.reason != nil) }
            }
            let owner = Owner()
            let connection = StreamConnection.connect(
                to: plain.address, tls: Self.trusting("turn.example"), on: loop, owner: owner)
            try await wait(isolation: test) { owner.reason != nil }
            var isNoTLS = false
            if case .handshakeFailed = owner.reason { isNoTLS = true }
            #expect(isNoTLS && connection.state == .closed, "\(String(describing: owner.reason))")
        }
        for server in [good, expired, plain] { try await server.stop() }
    }

    @Test("Letting go of a connection closes it, whether it is open yet or not")
    func release() async throws {
        let server = try await EchoServer.start()
        try await onEventLoop { test, loop in
            let owner = Owner()
            var connection: StreamConnection? = StreamConnection.connect(to: server.address, on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen }
            weak let weakly = connection
            connection = nil
            #expect(weakly == nil)
            try await wait(isolation: test) { server.connections == 0 }
            #expect(server.connections == 0)
            connection = StreamConnection.connect(to: server.address, on: loop, owner: owner)
            connection = nil
            try await Task.sleep(for: .milliseconds(50))
            #expect(server.connections == 0 && owner.endings == 0)
        }
        try await server.stop()
    }

    static func trusting(_ name: String) -> StreamConnection.TLS {
        StreamConnection.TLS(trust: .authorities(pem: TestCertificates.authority), serverName: name)
    }
}

/// Keeps what a connection says.
final class Owner: StreamConnectionOwner {
    var isOpen = false
    var received: [UInt8] = []
    var bursts = 0
    var writableCalls = 0
    var endings = 0
    var reason: StreamFailure?

    @discardableResult
    func send(_ text: String, on connection: StreamConnection) -> Bool {
        Array(text.utf8).withUnsafeBytes { connection.send($0) }
    }

    func streamConnectionDidOpen(_ connection: StreamConnection) { isOpen = true }
    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer) { received += bytes }
    func streamConnectionDidReadBurst(_ connection: StreamConnection) { bursts += 1 }
    func streamConnectionDidBecomeWritable(_ connection: StreamConnection) { writableCalls += 1 }
    func streamConnection(_ connection: StreamConnection, didCloseWith reason: StreamFailure) {
        endings += 1
        self.reason = reason
    }
}
