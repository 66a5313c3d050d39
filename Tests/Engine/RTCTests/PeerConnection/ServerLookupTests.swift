import Logging
import NIOCore
import RTCNetwork
import RTCPeer
import RTCTransport
import RTCWire
import Synchronization
import Testing

@testable import RTC

@Suite("Servers: their names, and the addresses they are reached from", .timeLimit(.minutes(1)))
struct ServerLookupTests {
    private static let host = "relay.test"
    private static let address = IPAddress(127, 0, 0, 1)

    private static func connection(
        _ names: ScriptedNames, _ urls: [String], _ change: (inout PeerConnection.Configuration) -> Void = { _ in }
    ) throws -> PeerConnection {
        var configuration = PeerConnection.Configuration()
        configuration.network.includesLoopback = true
        configuration.network.allowsAddress = { $0.isLoopback }
        configuration.nameSource = names
        configuration.iceServers = urls.map {
            $0.hasPrefix("turn") ? .init(url: $0, username: "alice", credential: "secret") : .init(url: $0)
        }
        change(&configuration)
        return try PeerConnection(configuration: configuration)
    }

    @Test(
        "A name that nobody knew at first is asked for again",
        arguments: ["network", "restart", "servers"])
    func again(occasion: String) async throws {
        let server = try await EchoServer.start()
        let names = ScriptedNames()
        names.answer(Self.host, .noServer)
        let url = "turn:\(Self.host):\(server.address.port)?transport=tcp"
        let connection = try Self.connection(names, [url])
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { names.asked(Self.host) == 1 })
        names.answer(Self.host, .addresses([Self.address]))
        switch occasion {
        case "network":
            await connection.follow([])
            await connection.follow(InterfaceTable.readAddresses())
        case "restart": await connection.restartICE()
        default:
            try await connection.setICEServers([.init(url: url, username: "alice", credential: "secret")])
        }
        #expect(await eventually(within: 3) { server.connections == 1 })
        await connection.close()
        #expect(await eventually { server.connections == 0 })
        try await server.stop()
    }

    @Test("A name is asked for once at a time, however often there is cause to")
    func once() async throws {
        let names = ScriptedNames()
        let connection = try Self.connection(names, ["stun:\(Self.host)"])
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { names.asked(Self.host) == 1 })
        for _ in 0..<5 {
            await connection.restartICE()
            await connection.follow([])
            await connection.follow(InterfaceTable.readAddresses())
        }
        #expect(names.asked(Self.host) == 1)
        await connection.close()
    }

    @Test("A server that is left out is asked for no more; many lists, one after the other, leave the last")
    func leftOut() async throws {
        let names = ScriptedNames()
        names.answer("gone.test", .noServer)
        names.answer("stays.test", .notFound)
        let connection = try Self.connection(names, ["turn:gone.test", "stun:stays.test"])
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { names.asked("gone.test") == 1 && names.asked("stays.test") == 1 })
        try await connection.setICEServers([.init(url: "stun:stays.test")])
        for _ in 0..<3 {
            await connection.restartICE()
            await connection.follow([])
            await connection.follow(InterfaceTable.readAddresses())
        }
        #expect(await eventually { names.asked("stays.test") > 1 })
        #expect(names.asked("gone.test") == 1)
        for number in 0..<1_000 {
            let servers = (0..<16).map {
                PeerConnection.ICEServer(url: "stun:198.51.100.\($0):\(1_024 + number)")
            }
            try await connection.setICEServers(servers)
        }
        #expect(await connection.serverCount == 16)
        await connection.close()
    }

    @Test("Gathering waits for a name behind a literal address, and not for ever")
    func gathering() async throws {
        let names = ScriptedNames()
        // The first is known at once, and no socket of ours reaches it.
        let connection = try Self.connection(names, ["stun:192.0.2.1", "stun:\(Self.host)"])
        let began = ContinuousClock.now
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { names.asked(Self.host) == 1 })
        #expect(await connection.iceGatheringState == .gathering)
        var isComplete = false
        while !isComplete, ContinuousClock.now - began < .seconds(6) {
            isComplete = await connection.iceGatheringState == .complete
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(isComplete && ContinuousClock.now - began < .seconds(4))
        await connection.close()
    }

    @Test("A server over TCP is reached from an address that the application allows, and from no other")
    func source() async throws {
        let server = try await EchoServer.start()
        let url = "turn:127.0.0.1:\(server.address.port)?transport=tcp"
        let bound = IPAddress(127, 0, 0, 2)
        let connection = try Self.connection(ScriptedNames(), [url]) { $0.network.bindAddress = bound }
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { server.connections == 1 })
        #expect(server.remotes.map(\.ip) == [bound])
        #expect(await connection.source(toward: TransportAddress(ip: IPAddress(192, 0, 2, 1), port: 1)) == nil)
        #expect(await connection.source(toward: TransportAddress(ip: IPAddress(v6High: 0, low: 1), port: 1)) == nil)
        await connection.close()
        try await server.stop()
    }

    @Test("What is connected from an address that is gone, or about to be, is closed", arguments: ["turn", "turns"])
    func addressGone(scheme: String) async throws {
        // A server that does not answer leaves the connection in the handshake of TLS.
        let server = try await EchoServer.start(reads: scheme == "turn")
        let url = "\(scheme):127.0.0.1:\(server.address.port)?transport=tcp"
        let connection = try Self.connection(ScriptedNames(), [url])
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { server.connections == 1 })
        #expect(await connection.streamCount == 1)
        await connection.follow([])
        #expect(await connection.streamCount == 0)
        if scheme == "turn" { #expect(await eventually { server.connections == 0 }) }
        await connection.close()
        try await server.stop()
    }

    @Test("A name of several labels in a candidate is nobody's to answer for")
    func severalLabels() async throws {
        let names = ScriptedNames()
        let connection = try Self.connection(names, [])
        for name in ["secret.attacker.local", "a.b.local.", "attacker.example"] { await connection.resolve(name) }
        #expect(names.total == 0)
        await connection.close()
    }

    @Test("Without a STUN or TURN server the log says so, once; with one it does not", arguments: [false, true])
    func noServers(hasServer: Bool) async throws {
        let warnings = Warnings()
        let connection = try Self.connection(ScriptedNames(), hasServer ? ["stun:192.0.2.1"] : []) {
            $0.logger = warnings.logger
        }
        _ = try await connection.createDataChannel("data")
        #expect(await eventually { await connection.counts.datagram > 0 })
        for _ in 0..<3 {
            await connection.restartICE()
            await connection.follow([])
            await connection.follow(InterfaceTable.readAddresses())
        }
        await connection.close()
        let count = warnings.all.count { $0.contains("No STUN or TURN server") }
        #expect(count == (hasServer ? 0 : 1))
    }

    @Test("A peer with many names has few questions asked at a time; the others wait, and are bounded")
    func manyNames() async throws {
        let connection = try Self.connection(ScriptedNames(), [])
        for number in 0..<200 { await connection.resolve("nobody-\(number)-here.local") }
        let names = await connection.multicastNames
        #expect(names.open == 8 && names.waiting.count == 64)
        await connection.close()
    }

    @Test("Sockets that the system takes are opened again, and TCP with them: each address once")
    func socketsTaken() async throws {
        let connection = try Self.connection(ScriptedNames(), []) { $0.network.tcp = .connectAndListen }
        _ = try await connection.createDataChannel("data")
        // Those that wait for others are there a moment later.
        let isComplete = await eventually {
            let counts = await connection.counts
            return counts.datagram > 0 && counts.stream == counts.datagram && counts.listening == counts.stream
        }
        #expect(isComplete)
        let before = await connection.counts
        for _ in 0..<3 {
            await connection.takeSockets(listeners: false)
            #expect(await eventually { await connection.counts == before })
        }
        await connection.takeSockets(listeners: true)
        #expect(await connection.counts.listening == 0)
        #expect(await eventually { await connection.counts == before })
        await connection.close()
    }
}

/// Keeps the warnings that are logged.
private final class Warnings: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(warnings: self) } }

    private struct Handler: LogHandler {
        let warnings: Warnings
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { warnings.lines.withLock { $0.append("\(event.message)") } }
    }
}

/// A name server that says what a test wants; until then, nothing.
final class ScriptedNames: NameSource {
    private struct State {
        var answers: [String: AddressLookup.Answer] = [:]
        var asked: [String: Int] = [:]
        var waiting: [String: [@Sendable (AddressLookup.Answer) -> Void]] = [:]
    }

    private let state = Mutex(State())

    /// From now on.
    func answer(_ host: String, _ answer: AddressLookup.Answer) {
        state.withLock { $0.answers[host] = answer }
    }

    /// How often IPv4 addresses of the name were asked for.
    func asked(_ host: String) -> Int { state.withLock { $0.asked[host] ?? 0 } }
    var total: Int { state.withLock { $0.asked.values.reduce(0, +) } }

    func ask(_ host: String, wantsIPv6: Bool, _ completion: @escaping @Sendable (AddressLookup.Answer) -> Void) {
        let answer = state.withLock { state -> AddressLookup.Answer? in
            if !wantsIPv6 { state.asked[host, default: 0] += 1 }
            guard let answer = state.answers[host] else {
                state.waiting[host, default: []].append(completion)
                return nil
            }
            guard case .addresses(let addresses) = answer else { return answer }
            let ofFamily = addresses.filter { $0.isIPv6 == wantsIPv6 }
            return ofFamily.isEmpty ? .notFound : .addresses(ofFamily)
        }
        if let answer { completion(answer) }
    }
}

extension PeerConnection {
    struct SocketCounts: Equatable {
        var datagram: Int
        var stream: Int
        var listening: Int
    }

    var counts: SocketCounts {
        SocketCounts(
            datagram: engine.sockets.udp.count, stream: engine.sockets.tcp.count,
            listening: engine.sockets.tcp.values.count { $0.listener != nil })
    }

    /// Connections that are open, or about to be.
    var streamCount: Int { engine.sockets.streams.count }

    /// Servers that the engine remembers.
    var serverCount: Int { engine.servers.configured.count + engine.servers.former.count }

    /// The machine's addresses have changed.
    func follow(_ addresses: [InterfaceAddress]) { engine.follow(addresses) }
    var multicastNames: MulticastNames { engine.multicastNames }
    func resolve(_ name: String) { engine.resolveMulticastName(name) }
    func source(toward remote: TransportAddress) -> IPAddress? { engine.source(toward: remote) }

    /// As a system does to an app that it has put to sleep.
    func takeSockets(listeners: Bool) {
        for socket in Array(engine.sockets.udp.values) {
            socket.owner = nil
            engine.datagramSocket(socket, didFailWith: SocketError(.closed, "The test has closed the socket."))
            socket.close()
        }
        guard listeners else { return }
        for listener in engine.sockets.tcp.values.compactMap(\.listener) {
            engine.streamListener(listener, didFailWith: .failed("the test has closed it"))
        }
    }
}
