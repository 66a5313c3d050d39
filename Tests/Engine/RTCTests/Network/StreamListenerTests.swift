import EventLoopTesting
import NIOCore
import NIOPosix
import RTCCrypto
import RTCWire
import Testing

@testable import RTC

@Suite("Listening for peers over TCP", .timeLimit(.minutes(1)))
struct StreamListenerTests {
    @Test("A peer connects, is confirmed, and bytes go both ways")
    func ordinary() async throws {
        try await onEventLoop { test, loop in
            let host = Host()
            let listener = try Self.listen(on: loop, patience: .milliseconds(100), host)
            let caller = Owner()
            let outgoing = StreamConnection.connect(to: listener.localAddress, on: loop, owner: caller)
            try await wait(isolation: test) { caller.isOpen && host.opened == 1 }
            let incoming = try #require(host.connections.first)
            #expect(incoming.remoteAddress == outgoing.localAddress)
            #expect(incoming.localAddress == listener.localAddress)
            listener.confirm(incoming)
            caller.send("ping", on: outgoing)
            try await wait(isolation: test) { host.received.count == 4 }
            host.send("pong", on: incoming)
            try await wait(isolation: test) { caller.received.count == 4 }
            #expect(caller.received == Array("pong".utf8))
            // Longer than the patience with strangers.
            try await Task.sleep(for: .milliseconds(200))
            #expect(incoming.state == .open && listener.refusedCount == 0)
            listener.close()
            #expect(incoming.state == .open)
            incoming.close()
            try await wait(isolation: test) { caller.reason != nil }
            #expect(caller.reason == .closedByPeer)
        }
    }

    @Test("Who sends nothing that counts is closed, and nobody else")
    func idle() async throws {
        try await onEventLoop { test, loop in
            let host = Host()
            let listener = try Self.listen(on: loop, patience: .milliseconds(100), host)
            let caller = Owner()
            let outgoing = StreamConnection.connect(to: listener.localAddress, on: loop, owner: caller)
            try await wait(isolation: test) { caller.isOpen }
            caller.send("GET / HTTP/1.1\r\n\r\n", on: outgoing)
            try await wait(isolation: test) { caller.reason != nil }
            #expect(caller.reason == .closedByPeer && host.reason == .idle)
            #expect(listener.refusedCount == 1 && listener.isOpen)
        }
    }

    @Test("Strangers are few: one more closes the oldest, and a peer still gets in")
    func flood() async throws {
        try await onEventLoop { test, loop in
            let host = Host()
            let listener = try Self.listen(on: loop, patience: .seconds(30), host)
            var callers: [(owner: Owner, connection: StreamConnection)] = []
            for _ in 0..<40 {
                let owner = Owner()
                callers.append((owner, .connect(to: listener.localAddress, on: loop, owner: owner)))
                try await wait(isolation: test) { owner.isOpen }
            }
            try await wait(isolation: test) { callers.count(where: { $0.owner.reason == nil }) <= 16 }
            #expect(callers.count(where: { $0.owner.reason == nil }) == StreamListener.maximumUnconfirmed)
            #expect(callers.suffix(16).allSatisfy { $0.owner.reason == nil })
            #expect(listener.refusedCount == 24)
        }
    }

    @Test("Those who are confirmed are bounded too")
    func crowd() async throws {
        try await onEventLoop { test, loop in
            let host = Host()
            let listener = try Self.listen(on: loop, patience: .seconds(30), host)
            host.confirmsAll = true
            var callers: [(owner: Owner, connection: StreamConnection)] = []
            for _ in 0..<StreamListener.maximumConnections + 6 {
                let owner = Owner()
                callers.append((owner, .connect(to: listener.localAddress, on: loop, owner: owner)))
                try await wait(isolation: test) { owner.isOpen }
            }
            try await wait(isolation: test) { callers.count(where: { $0.owner.reason != nil }) >= 6 }
            #expect(callers.count(where: { $0.owner.reason == nil }) == StreamListener.maximumConnections)
            // A place that is free again can be taken.
            callers[0].connection.close()
            try await wait(isolation: test) { host.endings >= 1 }
            let owner = Owner()
            let last = StreamConnection.connect(to: listener.localAddress, on: loop, owner: owner)
            try await wait(isolation: test) { owner.isOpen }
            try await Task.sleep(for: .milliseconds(50))
            #expect(last.state == .open && owner.reason == nil)
        }
    }

    @Test("Closing the listener, or letting go of it, closes the strangers and the port")
    func closing() async throws {
        try await onEventLoop { test, loop in
            for isReleased in [false, true] {
                let host = Host()
                var listener: StreamListener? = try Self.listen(on: loop, patience: .seconds(30), host)
                let address = try #require(listener?.localAddress)
                let caller = Owner()
                let outgoing = StreamConnection.connect(to: address, on: loop, owner: caller)
                try await wait(isolation: test) { host.opened == 1 }
                host.connections = []
                if !isReleased { listener?.close() }
                listener = nil
                try await wait(isolation: test) { caller.reason != nil }
                #expect(caller.reason == .closedByPeer && outgoing.state == .closed)
                let late = Owner()
                let refused = StreamConnection.connect(to: address, on: loop, owner: late)
                try await wait(isolation: test) { late.reason != nil }
                #expect(late.reason == .refused && refused.state == .closed)
            }
        }
    }

    @Test("A port range is kept, and one that is full says so")
    func ports() async throws {
        try await onEventLoop { _, loop in
            let host = Host()
            let ip = IPAddress(127, 0, 0, 1)
            // No ports that the system gives to connections meanwhile.
            let first = try StreamListener.listen(on: ip, ports: 20_900...20_901, on: loop, random: SystemRandom())
            let second = try StreamListener.listen(on: ip, ports: 20_900...20_901, on: loop, random: SystemRandom())
            first.owner = host
            #expect(Set([first.localAddress.port, second.localAddress.port]) == [20_900, 20_901])
            let error = #expect(throws: SocketError.self) {
                _ = try StreamListener.listen(on: ip, ports: 20_900...20_901, on: loop, random: SystemRandom())
            }
            #expect(error?.code == .portsExhausted && error?.message.contains("TCP") == true)
            let foreign = #expect(throws: SocketError.self) {
                _ = try StreamListener.listen(on: IPAddress(192, 0, 2, 1), on: loop, random: SystemRandom())
            }
            #expect(foreign?.code == .addressNotAvailable)
        }
    }

    private static func listen(
        on loop: any EventLoop, patience: TimeAmount, _ host: Host
    ) throws -> StreamListener {
        let listener = try StreamListener.listen(
            on: IPAddress(127, 0, 0, 1), patience: patience, on: loop, random: SystemRandom())
        listener.owner = host
        return listener
    }
}

/// Takes what a listener brings.
private final class Host: StreamListenerOwner {
    var connections: [StreamConnection] = []
    var confirmsAll = false
    var opened = 0
    var received: [UInt8] = []
    var endings = 0
    var reason: StreamFailure?

    func send(_ text: String, on connection: StreamConnection) {
        Array(text.utf8).withUnsafeBytes { _ = connection.send($0) }
    }

    func streamListener(_ listener: StreamListener, accepted connection: StreamConnection) {
        connections.append(connection)
        if confirmsAll { listener.confirm(connection) }
    }

    func streamListener(_ listener: StreamListener, didFailWith reason: StreamFailure) { Issue.record("\(reason)") }
    func streamConnectionDidOpen(_ connection: StreamConnection) { opened += 1 }
    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer) { received += bytes }
    func streamConnectionDidReadBurst(_ connection: StreamConnection) {}
    func streamConnectionDidBecomeWritable(_ connection: StreamConnection) {}
    func streamConnection(_ connection: StreamConnection, didCloseWith reason: StreamFailure) {
        endings += 1
        self.reason = reason
    }
}
