import RTCTransport
import RTCWire
import Testing

/// The clients of one agent, with several servers, sockets and connections.
@Suite("TURN: several servers at once")
struct TURNRelaysTests {
    /// Relays whose datagrams and connections a test answers or not.
    private final class Bench {
        var relays = TURNRelays(crypto: STUNTestCrypto(), random: SeededRandom(seed: 8_656))
        var now = Instant.zero
        var events: [TURNRelaysEvent] = []
        var servers: [TransportAddress: TURNTestServer] = [:]
        /// What connects, and from where.
        var local = turnAddress("10.0.0.2:50000")
        var refusesConnections = false
        private(set) var open: [SocketID: (server: TransportAddress, local: TransportAddress, isStream: Bool)] = [:]
        /// Who has been asked from where.
        private(set) var asked: Set<TransportPath> = []
        private var sockets: [SocketID: TransportAddress] = [:]

        func addSocket(_ id: UInt32) {
            let address = TransportAddress(ip: IPAddress(10, 0, 0, UInt8(id)), port: 1_000)
            sockets[SocketID(id)] = address
            relays.addSocket(SocketID(id), address: address, properties: ICESocketProperties(), at: now)
        }

        func addServer(
            _ id: Int, _ address: String, _ transport: ICERelayProperties.Transport = .udp, answers: Bool = true,
            password: String = "secret"
        ) {
            if answers { servers[turnAddress(address)] = TURNTestServer() }
            relays.addServer(
                TURNServerID(id), address: turnAddress(address), transport: transport,
                credentials: TURNCredentials(username: "alice", password: password), at: now)
        }

        func run(for time: TimeDelta) {
            let end = now + time
            while true {
                drain()
                guard let next = relays.nextDeadline, next <= end else { break }
                now = max(now, next)
                relays.handleTimeout(at: now)
            }
            now = end
        }

        private func drain() {
            var isBusy = true
            while isBusy {
                isBusy = false
                withUnsafeTemporaryAllocation(byteCount: 2_000, alignment: 8) { memory in
                    var batch = TransmitBatch(memory)
                    while relays.pollTransmit(into: &batch, at: now) {
                        isBusy = true
                        asked.insert(batch.path)
                        answer(Array(batch.memory.prefix(batch.byteCount)), batch.path)
                        batch.removeAll()
                    }
                }
                while let event = relays.pollEvent() {
                    isBusy = true
                    events.append(event)
                    switch event {
                    case .open(let id, let request):
                        guard !refusesConnections else {
                            relays.closed(id, at: now)
                            continue
                        }
                        local.port += 1
                        open[id] = (request.address, local, request.transport != .udp)
                        relays.opened(id, local: local, at: now)
                    case .close(let id): open[id] = nil
                    default: break
                    }
                }
            }
        }

        private func answer(_ bytes: [UInt8], _ path: TransportPath) {
            let own = open[path.socket]
            guard let server = servers[own?.server ?? path.remote],
                let local = own?.local ?? sockets[path.socket]
            else { return }
            for case .toClient(_, let answer) in server.receive(bytes, from: local, at: now) {
                answer.withUnsafeBytes { memory in
                    guard own?.isStream == true else {
                        _ = relays.receive(memory.bytes, on: path, at: now)
                        return
                    }
                    var piece = memory
                    while case .borrowed(let message) = relays.nextMessage(
                        in: &piece, onConnection: path.socket, at: now)
                    {
                        _ = relays.receive(message.bytes, onConnection: path.socket, at: now)
                    }
                }
            }
        }

        /// The relayed addresses of a server, for good or not.
        func relayed(by server: Int) -> [SocketID] {
            events.compactMap { event in
                guard case .relayAdded(let id, _, let properties) = event,
                    properties.relay?.serverID == TURNServerID(server)
                else { return nil }
                return id
            }
        }

        var added: Int { events.count { if case .relayAdded = $0 { true } else { false } } }
        var opened: [TransportAddress] {
            events.compactMap { if case .open(_, let request) = $0 { request.address } else { nil } }
        }
        var allocations: Int { servers.values.map(\.allocations.count).reduce(0, +) }
    }

    @Test("UDP from many sockets to many servers leaves places to TLS, whenever it comes")
    func reserved() {
        let bench = Bench()
        for socket in 1...5 { bench.addSocket(UInt32(socket)) }
        for server in 1...5 { bench.addServer(server, "192.0.2.\(server):3478", answers: false) }
        bench.run(for: .seconds(1))
        #expect(bench.asked.count == 12)
        bench.addServer(6, "192.0.2.6:5349", .tls)
        bench.run(for: .seconds(1))
        #expect(bench.opened == [turnAddress("192.0.2.6:5349")])
        #expect(bench.added > 0)
        // And the other way round.
        let other = Bench()
        for server in 1...20 { other.addServer(server, "192.0.2.\(server):5349", .tls, answers: false) }
        other.addServer(21, "192.0.2.21:3478")
        other.addSocket(1)
        other.run(for: .seconds(1))
        #expect(other.opened.count == 8 && other.added == 2)
    }

    @Test("A server on this machine is asked over UDP from the machine's other addresses")
    func onThisMachine() {
        let bench = Bench()
        bench.addSocket(1)
        bench.addServer(1, "127.0.0.1:3478")
        bench.run(for: .seconds(1))
        #expect(bench.asked.map(\.remote) == [turnAddress("127.0.0.1:3478")])
        // One address of each family.
        #expect(bench.relayed(by: 1).count == 2)
    }

    @Test("Each socket and each server has its turn before any has a second place")
    func fair() {
        let bench = Bench()
        for server in 1...6 { bench.addServer(server, "192.0.2.\(server):3478", answers: false) }
        for socket in 1...6 { bench.addSocket(UInt32(socket)) }
        bench.run(for: .seconds(1))
        #expect(Set(bench.asked.map(\.remote)).count == 6)
    }

    @Test("A socket that comes before others go has its relay as soon as they are gone")
    func newInterface() {
        let bench = Bench()
        for server in 1...12 { bench.addServer(server, "192.0.2.\(server):3478") }
        bench.addSocket(1)
        bench.run(for: .seconds(1))
        #expect(bench.allocations == 12)
        bench.addSocket(2)
        bench.run(for: .seconds(1))
        bench.relays.removeSocket(SocketID(1), at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.asked.count { $0.socket == SocketID(2) } == 12)
    }

    @Test("A client that rests gives its place to one that waits, and comes back when there is one")
    func restingGivesWay() {
        let bench = Bench()
        bench.addSocket(1)
        for server in 1...12 { bench.addServer(server, "192.0.2.\(server):3478", answers: false) }
        bench.addServer(13, "192.0.2.13:3478")
        bench.run(for: .seconds(30))
        #expect(bench.added == 0)
        bench.run(for: .seconds(20))
        #expect(bench.added == 2)
        // And the wrong passwords of twelve keep nobody out.
        let other = Bench()
        other.addSocket(1)
        for server in 1...12 { other.addServer(server, "192.0.2.\(server):3478", password: "wrong") }
        other.addServer(13, "192.0.2.13:3478")
        other.run(for: .seconds(1))
        #expect(other.added == 2)
        for server in 1...12 {
            other.relays.setCredentials(
                TURNCredentials(username: "alice", password: "secret"), of: TURNServerID(server), at: other.now)
        }
        other.run(for: .seconds(1))
        // All but the last of them has a place: twelve are UDP's.
        #expect(other.allocations == 12)
    }

    @Test("A name whose addresses change with each look-up keeps none out")
    func changingNames() {
        let bench = Bench()
        bench.addSocket(1)
        for number in 1...100 {
            bench.addServer(1, "192.0.2.\(number):3478", answers: number == 100)
            bench.run(for: .seconds(40))
        }
        #expect(bench.allocations == 1)
    }

    @Test(
        "Two users of one server: the second has its turn when the first is refused, and only then",
        arguments: ICERelayProperties.Transport.everyCase)
    func twoUsers(transport: ICERelayProperties.Transport) {
        for password in ["wrong", "secret"] {
            let bench = Bench()
            bench.addSocket(1)
            bench.addServer(1, "192.0.2.1:3478", transport, password: password)
            bench.addServer(2, "192.0.2.1:3478", transport, answers: false)
            bench.run(for: .seconds(5))
            #expect(bench.allocations == 1 && bench.added == 2)
            #expect(bench.relayed(by: 2).count == (password == "wrong" ? 2 : 0))
            // A server takes a port for whose it was first.
            #expect(bench.opened.count == (transport != .udp ? 1 : 0) + (password == "wrong" ? 1 : 0))
            // The first is given the right password: one is enough.
            bench.relays.setCredentials(
                TURNCredentials(username: "alice", password: "secret"), of: TURNServerID(1), at: bench.now)
            bench.run(for: .seconds(100))
            #expect(bench.allocations == 1 && bench.added == 2)
        }
    }

    @Test("A server that is taken out gives everything back, but for the address that data go through: that later")
    func removed() throws {
        let bench = Bench()
        bench.addSocket(1)
        bench.addServer(1, "192.0.2.1:3478")
        bench.addServer(2, "192.0.2.2:5349", .tls)
        bench.addServer(3, "192.0.2.3:3478", answers: false)
        bench.run(for: .seconds(1))
        #expect(bench.allocations == 2)
        let used = try #require(bench.relayed(by: 1).first)
        bench.relays.setSocketInUse(used, at: bench.now)
        for server in 1...3 { bench.relays.removeServer(TURNServerID(server), at: bench.now) }
        bench.run(for: .seconds(1))
        #expect(bench.allocations == 1 && bench.open.isEmpty)
        #expect((1...3).filter { bench.relays.hasClient(of: TURNServerID($0)) } == [1])
        let gone = bench.relayed(by: 2).allSatisfy { bench.events.contains(.relayRemoved($0)) }
        #expect(gone && !bench.events.contains(.relayRemoved(used)))
        bench.run(for: .seconds(2_000))
        #expect(bench.allocations == 1)
        bench.relays.setSocketInUse(SocketID(1), at: bench.now)
        bench.run(for: .seconds(1))
        #expect(bench.allocations == 0 && bench.relays.isEmpty && bench.relays.nextDeadline == nil)
    }

    @Test("A server that is taken out while it carries data, and forgets us: no other allocation is asked for")
    func removedAndLost() throws {
        let bench = Bench()
        bench.addSocket(1)
        bench.addServer(1, "192.0.2.1:3478")
        bench.run(for: .seconds(1))
        let used = try #require(bench.relayed(by: 1).first)
        bench.relays.setSocketInUse(used, at: bench.now)
        bench.relays.removeServer(TURNServerID(1), at: bench.now)
        for server in bench.servers.values { server.restart() }
        bench.relays.probe(at: bench.now)
        bench.run(for: .seconds(10))
        #expect(bench.allocations == 0 && bench.added == 2 && bench.relays.isEmpty)
    }

    @Test("A thousand lists of servers, one after the other, leave the clients of the last")
    func manyLists() {
        let bench = Bench()
        bench.addSocket(1)
        for number in 1...1_000 {
            bench.addServer(
                number, "198.51.\(number / 200).\(1 + number % 200):3478", number % 3 == 0 ? .tls : .udp,
                answers: number % 2 == 0)
            bench.relays.removeServer(TURNServerID(number - 1), at: bench.now)
            bench.run(for: .seconds(2))
        }
        #expect((1...1_000).filter { bench.relays.hasClient(of: TURNServerID($0)) } == [1_000])
        #expect(bench.allocations == 1)
    }

    @Test("Connections from an address that is gone are closed and made anew at once, others are left alone")
    func addressGone() {
        let bench = Bench()
        bench.addServer(1, "192.0.2.1:5349", .tls)
        bench.run(for: .seconds(100))
        bench.local = turnAddress("10.9.9.9:60000")
        bench.addServer(2, "192.0.2.2:5349", .tls)
        bench.run(for: .seconds(100))
        let kept = bench.open.filter { $0.value.local.ip == bench.local.ip }.map(\.key)
        bench.relays.localAddressesChanged(to: [bench.local.ip], at: bench.now)
        bench.run(for: .milliseconds(100))
        #expect(bench.opened.map(\.ip) == [1, 2, 1].map { IPAddress(192, 0, 2, $0) })
        #expect(bench.open.count == 2 && bench.open.keys.contains(kept[0]))
        #expect(bench.open.values.allSatisfy { $0.local.ip == bench.local.ip })
        // What cannot be reached is tried as soon as there is another way.
        bench.refusesConnections = true
        bench.relays.localAddressesChanged(to: [], at: bench.now)
        bench.run(for: .seconds(300))
        bench.refusesConnections = false
        let added = bench.added
        bench.relays.localAddressesChanged(to: [bench.local.ip], at: bench.now)
        bench.run(for: .milliseconds(100))
        #expect(bench.added == added + 4)
    }

    @Test("The socket that a server asks for cannot be opened: the first is used, and nothing is asked for ever")
    func noSecondSocket() {
        let bench = Bench()
        bench.refusesConnections = true
        bench.addSocket(1)
        bench.addServer(1, "192.0.2.1:3478", password: "wrong")
        bench.run(for: .seconds(1))
        bench.relays.setCredentials(
            TURNCredentials(username: "alice", password: "secret"), of: TURNServerID(1), at: bench.now)
        bench.run(for: .seconds(5))
        #expect(bench.added == 2)
        #expect(bench.opened.count == 1)
    }

    @Test("Closing gives back every allocation, with a stale nonce too, and then nothing is left")
    func close() {
        let bench = Bench()
        bench.addSocket(1)
        bench.addServer(1, "192.0.2.1:3478")
        bench.addServer(2, "192.0.2.2:5349", .tls)
        bench.run(for: .seconds(1))
        #expect(bench.allocations == 2)
        for server in bench.servers.values { server.staleNonce() }
        bench.relays.close(at: bench.now)
        #expect(!bench.relays.isReleased)
        bench.run(for: .seconds(1))
        #expect(bench.allocations == 0 && bench.relays.isReleased && bench.open.isEmpty)
        #expect(bench.relays.nextDeadline == nil)
    }
}
