import EventLoopTesting
import NIOCore
import RTCPeer
import RTCTransport
import RTCWire
import Synchronization
import Testing

@testable import RTC
@testable import RTCNetwork

@Suite("One UDP port for many connections", .timeLimit(.minutes(2)))
struct UDPMuxTests {
    private static let loopback = IPAddress(127, 0, 0, 1)

    /// A caller with a socket of its own, and the server's side of it.
    private struct Call {
        let server: PeerConnection
        let client: PeerConnection
        let tasks: [Task<Void, Never>]

        /// - Parameter toClient: What becomes of the server's signals on their way; `toServer` of the client's.
        init(
            _ mux: UDPMux, toClient: @escaping @Sendable (Signal) -> Signal? = { $0 },
            toServer: @escaping @Sendable (Signal) -> Signal? = { $0 }
        ) throws {
            server = try PeerConnection(
                configuration: LoopbackPair.configuration {
                    $0.network.udpMux = mux
                    $0.negotiation = .perfect(isPolite: true)
                })
            client = try PeerConnection(
                configuration: LoopbackPair.configuration { $0.negotiation = .perfect(isPolite: false) })
            tasks = [
                Self.forward(server, to: client, toClient), Self.forward(client, to: server, toServer),
                Self.echo(server),
            ]
        }

        private static func forward(
            _ source: PeerConnection, to target: PeerConnection, _ change: @escaping @Sendable (Signal) -> Signal?
        ) -> Task<Void, Never> {
            let signals = source.signals
            return Task { [weak target] in
                for await signal in signals {
                    if let signal = change(signal) { try? await target?.receive(signal) }
                }
            }
        }

        private static func echo(_ connection: PeerConnection) -> Task<Void, Never> {
            let events = connection.events
            return Task {
                for await case .dataChannel(let channel) in events {
                    for await message in channel.messages {
                        if case .text(let text) = message { try? await channel.send(text) }
                    }
                }
            }
        }

        func close() async {
            await client.close()
            await server.close()
            for task in tasks { task.cancel() }
        }
    }

    /// Sends and waits for the echo.
    private static func talk(_ channel: DataChannel, _ text: String) async throws {
        try await channel.send(text)
        for await message in channel.messages {
            #expect(message == .text(text))
            return
        }
        Issue.record("the channel ended")
    }

    @Test("Twenty callers on one port, amid a flood of strangers; when all have gone nothing is left")
    func many() async throws {
        let mux = try await UDPMux(port: 0, addresses: [Self.loopback])
        let port = try #require(mux.localAddresses.first?.port)
        let flood = Task { try await Self.flood(TransportAddress(ip: Self.loopback, port: port)) }
        let calls = try (0..<20).map { _ in try Call(mux) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, call) in calls.enumerated() {
                group.addTask {
                    let channel = try await call.client.createDataChannel("data")
                    try await channel.waitUntilOpen()
                    for turn in 0..<20 { try await Self.talk(channel, "\(number) \(turn)") }
                    let candidates = await call.server.getStats().localCandidates
                    let ports = Set(candidates.filter { $0.protocol == "udp" }.map(\.port))
                    #expect(ports == [port])
                }
            }
            try await group.waitForAll()
        }
        flood.cancel()
        let sent = try await flood.value
        let statistics = await mux.statistics()
        #expect(statistics.connections == 20 && statistics.paths <= 20 * ICEDemultiplexer.maximumPaths)
        #expect(sent > 0 && statistics.strayDatagrams > 0)
        for call in calls { await call.close() }
        #expect(await eventually { await mux.statistics().connections == 0 })
        #expect(await mux.statistics().paths == 0)
        mux.close()
    }

    /// Sends what belongs to nobody until it is cancelled.
    private static func flood(_ target: TransportAddress) async throws -> Int {
        let count = Atomic(0)
        try await onEventLoop { _, loop in
            let random = SeededRandom(seed: 1)
            let socket = try DatagramSocket.bind(to: loopback, on: loop, random: random)
            while !Task.isCancelled {
                for size in 1...50 {
                    random.bytes(size).withUnsafeBytes { socket.send($0, segmentSize: $0.count, to: target) }
                }
                count.add(50, ordering: .relaxed)
                try? await Task.sleep(for: .milliseconds(1))
            }
            socket.close()
        }
        return count.load(ordering: .relaxed)
    }

    @Test("While there are media, the time that datagrams wait is measured; when they are gone it is not")
    func measuring() async throws {
        let mux = try await UDPMux(port: 0, addresses: [Self.loopback])
        func isMeasured() async throws -> Bool { try await mux.loop.submit { mux.sockets.measuresWaiting }.get() }
        let data = try Call(mux)
        let channel = try await data.client.createDataChannel("data")
        try await channel.waitUntilOpen()
        #expect(try await !isMeasured())
        let media = try Call(mux)
        try await media.client.addTrack(AudioTrack.tone(440))
        #expect(await eventually { (try? await isMeasured()) == true })
        await media.close()
        #expect(await eventually { (try? await isMeasured()) == false })
        try await Self.talk(channel, "still here")
        #expect(try await !isMeasured())
        await data.close()
    }

    @Test("An ICE restart keeps the port")
    func restart() async throws {
        let mux = try await UDPMux(port: 0, addresses: [Self.loopback])
        let call = try Call(mux)
        let channel = try await call.client.createDataChannel("data")
        try await channel.waitUntilOpen()
        for (number, restarts) in [call.client, call.server].enumerated() {
            let before = await call.server.getStats().transport.iceLocalUsernameFragment
            await restarts.restartICE()
            #expect(await eventually { await call.server.getStats().transport.iceLocalUsernameFragment != before })
            #expect(await eventually { [.connected, .completed].contains(await call.server.iceConnectionState) })
            try await Self.talk(channel, "after restart \(number)")
        }
        await call.close()
        mux.close()
    }

    @Test("A caller whose NAT gives it another port in mid-call is followed")
    func rebinding() async throws {
        let mux = try await UDPMux(port: 0, addresses: [Self.loopback])
        let server = try #require(mux.localAddresses.first)
        let nat = try await SmallNAT(toward: server)
        // The client sees the NAT in the server's place; the server sees nothing but what comes through it.
        let call = try Call(
            mux, toClient: { Self.moving($0, to: nat.inside.port) }, toServer: { Self.withoutCandidates($0) })
        let channel = try await call.client.createDataChannel("data")
        try await channel.waitUntilOpen()
        try await Self.talk(channel, "before")
        try await nat.rebind()
        // With its next check, which comes every 5 s.
        try await Self.talk(channel, "after")
        await call.close()
        await nat.close()
        mux.close()
    }

    private static func withoutCandidates(_ signal: Signal) -> Signal? {
        guard case .description(var description) = signal else { return nil }
        description.sdp = description.sdp.split(separator: "\r\n").filter { !$0.hasPrefix("a=candidate:") }
            .map { $0 + "\r\n" }.joined()
        return .description(description)
    }

    private static func moving(_ signal: Signal, to port: UInt16) -> Signal? {
        func move(_ line: Substring) -> String {
            var fields = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            if fields.count > 5, fields[2].lowercased() == "udp" { fields[5] = "\(port)" }
            return fields.joined(separator: " ")
        }
        switch signal {
        case .candidate(var candidate):
            candidate.candidate = move(candidate.candidate[...])
            return .candidate(candidate)
        case .description(var description):
            description.sdp = description.sdp.split(separator: "\r\n")
                .map { $0.hasPrefix("a=candidate:") ? move($0) : String($0) }.map { $0 + "\r\n" }.joined()
            return .description(description)
        }
    }

    @Test("A port that is taken is refused with its reason; a mux that is closed fails its connections")
    func refusals() async throws {
        let mux = try await UDPMux(port: 0, addresses: [Self.loopback])
        let port = try #require(mux.localAddresses.first?.port)
        await #expect { _ = try await UDPMux(port: port, addresses: [Self.loopback]) } throws: {
            ($0 as? RTCError)?.code == .network
        }
        mux.close()
        let call = try Call(mux)
        let channel = try await call.server.createDataChannel("data")
        await #expect(throws: RTCError.self) { try await channel.waitUntilOpen() }
        await call.close()
        // The port is free again.
        let other = try await UDPMux(port: port, addresses: [Self.loopback])
        other.close()
    }

    @Test("A mux that cannot have its port on each of its addresses keeps none")
    func partly() async throws {
        let mux = try await UDPMux(port: 0, addresses: [Self.loopback])
        let port = try #require(mux.localAddresses.first?.port)
        mux.close()
        _ = await mux.statistics()  // By then it is closed.
        // The second time, the port of this address is taken.
        await #expect(throws: RTCError.self) {
            _ = try await UDPMux(port: port, addresses: [Self.loopback, Self.loopback])
        }
        let other = try await UDPMux(port: port, addresses: [Self.loopback])
        #expect(other.localAddresses.map(\.port) == [port])
        other.close()
    }
}

/// A NAT for one client and one server, whose outer port changes when it is told to.
private final class SmallNAT: Sendable {
    let inside: TransportAddress
    private let box: NIOLoopBoundBox<Sockets>
    private let actor = LoopActor()

    private final class Sockets {
        let inner: DatagramSocket
        var outer: DatagramSocket
        let server: TransportAddress
        let forward: Forward

        init(_ server: TransportAddress, on loop: any EventLoop) throws {
            self.server = server
            inner = try Self.bind(on: loop)
            outer = try Self.bind(on: loop)
            forward = Forward()
            forward.sockets = self
            (inner.owner, outer.owner) = (forward, forward)
        }

        static func bind(on loop: any EventLoop) throws -> DatagramSocket {
            try DatagramSocket.bind(to: IPAddress(127, 0, 0, 1), on: loop, random: SeededRandom(seed: 3))
        }
    }

    private final class Forward: DatagramSocketOwner {
        weak var sockets: Sockets?
        private var client: TransportAddress?

        func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
            guard let sockets else { return }
            if socket === sockets.inner {
                client = datagrams.remote
                sockets.outer.send(datagrams.bytes, segmentSize: datagrams.segmentSize, to: sockets.server)
            } else if let client {
                sockets.inner.send(datagrams.bytes, segmentSize: datagrams.segmentSize, to: client)
            }
        }

        func datagramSocketDidReadBurst(_ socket: DatagramSocket) {}
        func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) {}
        func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {}
    }

    init(toward server: TransportAddress) async throws {
        let loop = actor.eventLoop
        let box = try await loop.submit {
            NIOLoopBoundBox(try Sockets(server, on: loop), eventLoop: loop)
        }.get()
        self.box = box
        inside = try await loop.submit { box.value.inner.localAddress }.get()
    }

    /// What was mapped is forgotten: from here on everything leaves by another port.
    func rebind() async throws {
        let (box, loop) = (box, actor.eventLoop)
        try await loop.submit {
            let sockets = box.value
            sockets.outer.close()
            sockets.outer = try Sockets.bind(on: loop)
            sockets.outer.owner = sockets.forward
        }.get()
    }

    func close() async {
        let box = box
        _ = try? await actor.eventLoop.submit {
            box.value.inner.close()
            box.value.outer.close()
        }.get()
    }
}
