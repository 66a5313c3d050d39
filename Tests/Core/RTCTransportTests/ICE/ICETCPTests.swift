import RTCTransport
import RTCWire
import Testing

/// Two agents whose TCP connections a test carries, cut anywhere.
private final class TCPBench {
    var now = Instant.zero
    var agents: [ICEAgent] = []
    var events: [[ICEEvent]] = [[], []]
    var received: [[[UInt8]]] = [[], []]
    /// Connections by number of the opener: both ends' IDs.
    var links: [(ids: [SocketID?], opener: Int, isOpen: Bool)] = []
    var queue: [(to: Int, id: SocketID, bytes: [UInt8])] = []
    var blocksUDP = true
    var refuses = false
    /// Links that swallow everything, and neither end is told.
    var cut: Set<Int> = []
    private let addresses = [iceAddress("192.0.2.1:1000"), iceAddress("192.0.2.2:2000")]
    private let listeners = [UInt16(1_500), 2_500]
    private let random = SeededRandom(seed: 6_544)
    private var nextAccepted: UInt32 = 100
    private var datagrams: [(to: Int, bytes: [UInt8])] = []

    init(listens: [Bool] = [true, true], policy: ICECandidatePolicy = .all) {
        for index in 0..<2 {
            var configuration = ICEConfiguration()
            configuration.candidatePolicy = policy
            var agent = ICEAgent(
                configuration: configuration, crypto: STUNTestCrypto(), random: SeededRandom(seed: UInt64(index)))
            agent.setControlling(index == 0)
            agent.addSocket(SocketID(1), address: addresses[index], properties: ICESocketProperties(), at: now)
            agent.addTCPSocket(
                SocketID(2), address: addresses[index].ip, listeningPort: listens[index] ? listeners[index] : nil,
                properties: ICESocketProperties(), at: now)
            agent.startGathering(at: now)
            agent.endOfSockets(at: now)
            agents.append(agent)
        }
        drain()
        agents[0].setRemote(agents[1].localCredentials, isLite: false, at: now)
        agents[1].setRemote(agents[0].localCredentials, isLite: false, at: now)
    }

    func drain() {
        for index in 0..<2 {
            withUnsafeTemporaryAllocation(byteCount: 2_000, alignment: 8) { memory in
                var batch = TransmitBatch(memory)
                while agents[index].pollTransmit(into: &batch, at: now) {
                    ship(&batch, from: index)
                    batch.removeAll()
                }
            }
            while let event = agents[index].pollEvent() {
                events[index].append(event)
                switch event {
                case .candidate(let candidate): agents[1 - index].addRemoteCandidate(candidate, at: now)
                case .gatheringState(.complete): agents[1 - index].endOfRemoteCandidates(at: now)
                case .connect(let id, _, let to): connect(index, id, to)
                case .disconnect(let id): end(index, id)
                default: break
                }
            }
        }
    }

    private func connect(_ index: Int, _ id: SocketID, _ to: TransportAddress) {
        guard !refuses, to == TransportAddress(ip: addresses[1 - index].ip, port: listeners[1 - index]) else {
            agents[index].connectionClosed(id, at: now)
            return
        }
        let accepted = SocketID(nextAccepted)
        nextAccepted += 1
        let local = TransportAddress(ip: addresses[index].ip, port: UInt16(40_000 + links.count))
        links.append((index == 0 ? [id, accepted] : [accepted, id], index, true))
        agents[1 - index].connectionAccepted(accepted, on: SocketID(2), from: local, at: now)
        agents[index].connectionOpened(id, local: local, at: now)
    }

    private func end(_ index: Int, _ id: SocketID) {
        guard let link = links.firstIndex(where: { $0.ids[index] == id && $0.isOpen }) else { return }
        links[link].isOpen = false
        if cut.contains(link) { return }
        if let far = links[link].ids[1 - index] { agents[1 - index].connectionClosed(far, at: now) }
    }

    func breakLinks() {
        for link in links.indices where links[link].isOpen {
            links[link].isOpen = false
            for index in 0..<2 {
                if let id = links[link].ids[index] { agents[index].connectionClosed(id, at: now) }
            }
        }
        queue = []
        drain()
    }

    /// New credentials at both ends.
    func restart() {
        for index in 0..<2 { agents[index].restart(at: now) }
        for index in 0..<2 {
            agents[index].setRemote(agents[1 - index].localCredentials, isLite: false, at: now)
            agents[index].endOfSockets(at: now)
        }
        drain()
    }

    private func ship(_ batch: inout TransmitBatch, from index: Int) {
        let id = batch.path.socket
        guard let framing = agents[index].framing(for: id) else {
            if !blocksUDP { datagrams.append((1 - index, Array(batch.memory.prefix(batch.byteCount)))) }
            return
        }
        let isFramed = batch.framing == framing || batch.insert(framing)
        #expect(isFramed)
        guard let number = links.firstIndex(where: { $0.ids[index] == id && $0.isOpen }), !cut.contains(number),
            let far = links[number].ids[1 - index]
        else { return }
        var rest = Array(batch.memory.prefix(batch.byteCount))[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + Int(random.next(below: 40)))
            rest = rest.dropFirst(piece.count)
            queue.append((1 - index, far, Array(piece)))
        }
    }

    func send(_ bytes: [UInt8], from index: Int) {
        guard let path = agents[index].selectedPath else { return }
        withUnsafeTemporaryAllocation(byteCount: 2_000, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            batch.path = path
            batch.frame(by: agents[index].framing(for: path.socket) ?? .none)
            _ = bytes.withUnsafeBytes { batch.append($0) }
            ship(&batch, from: index)
        }
    }

    func run(for limit: TimeDelta, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        while true {
            drain()
            if condition() { return true }
            let isBusy = !queue.isEmpty || !datagrams.isEmpty
            let next = isBusy ? now + .milliseconds(10) : agents.compactMap(\.nextDeadline).min() ?? .distantFuture
            guard next <= end else {
                now = end
                return condition()
            }
            now = max(now, next)
            let (pieces, whole) = (queue, datagrams)
            queue = []
            datagrams = []
            for piece in pieces { take(piece.bytes, on: piece.id, by: piece.to) }
            for datagram in whole {
                datagram.bytes.withUnsafeBytes {
                    agents[datagram.to].receive($0.bytes, from: addresses[1 - datagram.to], on: SocketID(1), at: now)
                }
            }
            for index in 0..<2 {
                if let deadline = agents[index].nextDeadline, deadline <= now { agents[index].handleTimeout(at: now) }
            }
        }
    }

    private func take(_ bytes: [UInt8], on id: SocketID, by index: Int) {
        bytes.withUnsafeBytes { memory in
            var piece = memory
            while true {
                switch agents[index].nextPacket(in: &piece, onConnection: id) {
                case .borrowed(let packet): deliver(Array(packet), on: id, by: index)
                case .copied(let packet): deliver(packet, on: id, by: index)
                case .none: return
                }
            }
        }
    }

    private func deliver(_ packet: [UInt8], on id: SocketID, by index: Int) {
        guard let path = agents[index].path(ofConnection: id) else { return }
        if let first = packet.first, first < 4 {
            packet.withUnsafeBytes { agents[index].receive($0.bytes, from: path.remote, on: id, at: now) }
        } else if agents[index].isValid(path) {
            received[index].append(packet)
        }
    }

    var isConnected: Bool {
        agents.allSatisfy { $0.selectedPath != nil && ($0.state == .completed || $0.state == .connected) }
    }

    /// Whether both send over connections that lead somewhere.
    var isOverLiveLink: Bool {
        (0..<2).allSatisfy { index in
            let link = links.firstIndex { $0.ids[index] == agents[index].selectedPath?.socket }
            return link.map { !cut.contains($0) } ?? false
        }
    }

    var candidates: [ICECandidate] {
        events[0].compactMap { if case .candidate(let candidate) = $0 { candidate } else { nil } }
    }

    func selectedTransport(_ index: Int) -> ICETransportProtocol? {
        let statistics = agents[index].statistics()
        let pair = statistics.candidatePairs.first { $0.id == statistics.selectedCandidatePairID }
        return statistics.remoteCandidates.first { $0.id == pair?.remoteCandidateID }?.candidate.transport
    }
}

@Suite("ICE: over TCP (RFC 6544)")
struct ICETCPTests {
    @Test("Active and passive candidates are announced, below UDP, and read back")
    func candidates() throws {
        let bench = TCPBench()
        let tcp = bench.candidates.filter { $0.transport == .tcp }
        #expect(tcp.map(\.tcpType) == [.active, .passive])
        #expect(tcp.map(\.port) == [9, 1_500])
        #expect(tcp.allSatisfy { $0.priority < 100 << 24 })
        #expect(tcp[0].priority > tcp[1].priority)
        for candidate in tcp { #expect(try ICECandidate(parsing: candidate.description) == candidate) }
    }

    @Test(
        "Where UDP is blocked, TCP connects, whoever of the two can listen",
        arguments: [[true, true], [true, false], [false, true]])
    func connects(listens: [Bool]) {
        let bench = TCPBench(listens: listens)
        #expect(bench.run(for: .seconds(10)) { bench.isConnected })
        #expect(bench.selectedTransport(0) == .tcp && bench.selectedTransport(1) == .tcp)
        for number in 0..<50 {
            bench.send([UInt8](repeating: 100, count: 1 + number * 20), from: 0)
            bench.send([101, UInt8(number)], from: 1)
        }
        _ = bench.run(for: .seconds(1))
        #expect(bench.received[1].map(\.count) == (0..<50).map { 1 + $0 * 20 })
        #expect(bench.received[0].count == 50)
        // For half an hour.
        _ = bench.run(for: .seconds(1_800))
        #expect(bench.isConnected)
    }

    @Test("Where UDP works it is used, though TCP works too")
    func prefersUDP() {
        let bench = TCPBench()
        bench.blocksUDP = false
        #expect(bench.run(for: .seconds(10)) { bench.isConnected })
        _ = bench.run(for: .seconds(5))
        #expect(bench.selectedTransport(0) == .udp && bench.selectedTransport(1) == .udp)
    }

    @Test("Nobody listens: no pairs; a connection that is refused: failed in time")
    func failures() {
        let neither = TCPBench(listens: [false, false])
        #expect(!neither.run(for: .seconds(40)) { neither.isConnected })
        #expect(neither.links.isEmpty)
        let refused = TCPBench()
        refused.refuses = true
        #expect(!refused.run(for: .seconds(60)) { refused.isConnected })
        #expect(refused.agents.allSatisfy { $0.state == .failed })
    }

    @Test("A connection that breaks in mid-call is made again")
    func broken() {
        let bench = TCPBench(listens: [false, true])
        #expect(bench.run(for: .seconds(10)) { bench.isConnected })
        _ = bench.run(for: .seconds(10))
        bench.breakLinks()
        #expect(bench.run(for: .seconds(10)) { bench.isConnected })
        bench.send([100], from: 0)
        _ = bench.run(for: .seconds(1))
        #expect(bench.received[1].last == [100])
    }

    @Test("After a restart there is one connection again, as soon as what was before is forgotten")
    func restarted() {
        for listens in [[false, true], [true, false]] {
            let bench = TCPBench(listens: listens)
            #expect(bench.run(for: .seconds(10)) { bench.isConnected })
            _ = bench.run(for: .seconds(10))
            for _ in 0..<3 {
                bench.restart()
                _ = bench.run(for: .seconds(60))
                #expect(bench.isConnected && bench.isOverLiveLink)
                #expect(bench.links.count(where: \.isOpen) == 1)
            }
        }
    }

    @Test("Another peer has answered the same offer: what led to the first is closed")
    func secondAnswer() {
        let bench = TCPBench(listens: [false, true])
        #expect(bench.run(for: .seconds(1)) { !bench.links.isEmpty })
        bench.agents[0].setRemote(.random(from: SeededRandom(seed: 5)), isLite: false, at: bench.now)
        _ = bench.run(for: .seconds(1))
        #expect(bench.links.allSatisfy { !$0.isOpen })
        let connected = bench.events[0].count { if case .connect = $0 { true } else { false } }
        let closed = bench.events[0].count { if case .disconnect = $0 { true } else { false } }
        #expect(connected == closed)
    }

    @Test("Candidates that were worth less and made way leave room for a connection to a later one")
    func madeWay() {
        var configuration = ICEConfiguration()
        configuration.maximumRemoteCandidates = 300
        configuration.maximumPairs = 40
        var agent = ICEAgent(configuration: configuration, crypto: STUNTestCrypto(), random: SeededRandom(seed: 3))
        agent.addSocket(
            SocketID(1), address: iceAddress("192.0.2.1:1000"), properties: ICESocketProperties(), at: .zero)
        agent.addTCPSocket(
            SocketID(2), address: IPAddress(192, 0, 2, 1), listeningPort: nil, properties: ICESocketProperties(),
            at: .zero)
        agent.startGathering(at: .zero)
        agent.setRemote(.random(from: SeededRandom(seed: 4)), isLite: false, at: .zero)
        func add(_ transport: ICETransportProtocol, _ port: Int, _ priority: UInt32) {
            agent.addRemoteCandidate(
                ICECandidate(
                    foundation: "\(port)", transport: transport, priority: priority,
                    address: .ip(IPAddress(192, 0, 2, 9)), port: UInt16(port), type: .host,
                    tcpType: transport == .tcp ? .passive : nil), at: .zero)
        }
        for port in 2_000..<2_032 { add(.tcp, port, 1) }
        for port in 3_000..<3_100 { add(.udp, port, 1_000_000) }
        add(.tcp, 5_000, 2_000_000_000)
        var ports: [UInt16] = []
        for tick in 1...300 {
            agent.handleTimeout(at: .zero + .milliseconds(100) * Int64(tick))
            while let event = agent.pollEvent() {
                if case .connect(_, _, let to) = event { ports.append(to.port) }
            }
        }
        #expect(ports.contains(5_000))
    }

    @Test("A connection that dies without a word is replaced, whoever controls, and the dead one is forgotten")
    func silent() {
        for listens in [[false, true], [true, false], [true, true]] {
            let bench = TCPBench(listens: listens)
            #expect(bench.run(for: .seconds(10)) { bench.isConnected })
            _ = bench.run(for: .seconds(100))
            for _ in 0..<2 {
                bench.cut = Set(bench.links.indices)
                let isBack = bench.run(for: .seconds(15)) {
                    bench.isConnected && bench.isOverLiveLink
                }
                #expect(isBack)
                let count = bench.received[1].count
                bench.send([100], from: 0)
                bench.send([101], from: 1)
                _ = bench.run(for: .seconds(1))
                #expect(bench.received[1].count == count + 1 && bench.received[0].last == [101])
                #expect(bench.agents.allSatisfy { $0.state != .failed })
                _ = bench.run(for: .seconds(70))
            }
            let open = bench.links.count(where: \.isOpen)
            #expect(open <= 2)
        }
    }

    @Test("A peer whose connections never last is connected to ever more seldom, and not without end")
    func endless() {
        let bench = TCPBench(listens: [false, true])
        for _ in 0..<600 {
            _ = bench.run(for: .seconds(1)) { bench.isConnected }
            bench.breakLinks()
        }
        #expect((3...10).contains(bench.links.count))
    }

    @Test("What never answers makes room for what comes later")
    func room() throws {
        var agent = ICEAgent(configuration: ICEConfiguration(), crypto: STUNTestCrypto(), random: SeededRandom(seed: 3))
        agent.addTCPSocket(
            SocketID(2), address: IPAddress(192, 0, 2, 1), listeningPort: nil, properties: ICESocketProperties(),
            at: .zero)
        agent.startGathering(at: .zero)
        agent.setRemote(.random(from: SeededRandom(seed: 4)), isLite: false, at: .zero)
        func add(_ port: UInt16, at now: Instant) {
            agent.addRemoteCandidate(
                ICECandidate(
                    foundation: "1", transport: .tcp, priority: 1, address: .ip(IPAddress(192, 0, 2, 9)), port: port,
                    type: .host, tcpType: .passive), at: now)
        }
        for port in 2_000..<2_040 { add(UInt16(port), at: .zero) }
        var ports: [UInt16] = []
        for tick in 1...270 {
            let now = Instant.zero + .milliseconds(100) * Int64(tick)
            agent.handleTimeout(at: now)
            if tick == 250 { add(5_000, at: now) }
            while let event = agent.pollEvent() {
                if case .connect(_, _, let to) = event { ports.append(to.port) }
            }
        }
        #expect(ports.count == 33 && ports.last == 5_000)
    }

    @Test("Under the relay policy nothing is announced and nothing connects")
    func relayOnly() {
        let bench = TCPBench(policy: .relay)
        #expect(bench.candidates.isEmpty)
        #expect(!bench.run(for: .seconds(10)) { bench.isConnected })
        #expect(bench.links.isEmpty)
    }

    @Test("A peer's candidate makes us knock at no service's port")
    func ports() throws {
        var agent = ICEAgent(configuration: ICEConfiguration(), crypto: STUNTestCrypto(), random: SeededRandom(seed: 3))
        agent.addTCPSocket(
            SocketID(2), address: IPAddress(192, 0, 2, 1), listeningPort: nil, properties: ICESocketProperties(),
            at: .zero)
        agent.startGathering(at: .zero)
        agent.setRemote(.random(from: SeededRandom(seed: 4)), isLite: false, at: .zero)
        for port in [0, 1, 22, 25, 445, 80, 443, 5_000] as [UInt16] {
            agent.addRemoteCandidate(
                ICECandidate(
                    foundation: "1", transport: .tcp, priority: 1, address: .ip(IPAddress(192, 0, 2, 9)), port: port,
                    type: .host, tcpType: .passive), at: .zero)
        }
        for number in 1...10 { agent.handleTimeout(at: .zero + .seconds(Int64(number))) }
        var ports: [UInt16] = []
        while let event = agent.pollEvent() {
            if case .connect(_, _, let to) = event { ports.append(to.port) }
        }
        #expect(ports.sorted() == [80, 443, 5_000])
    }

    @Test("A peer's candidate makes us knock at nothing of this machine's own, nor of its link's")
    func ownMachine() {
        let far: [IPAddress?] = [
            IPAddress(127, 0, 0, 1), IPAddress(169, 254, 169, 254), IPAddress("::1"), IPAddress(192, 0, 2, 9),
        ]
        for (own, expected) in [
            (IPAddress(192, 0, 2, 1), [IPAddress(192, 0, 2, 9)]),
            (IPAddress(127, 0, 0, 1), [IPAddress(127, 0, 0, 1), IPAddress(192, 0, 2, 9)]),
            (IPAddress(169, 254, 1, 1), [IPAddress(169, 254, 169, 254), IPAddress(192, 0, 2, 9)]),
        ] {
            var agent = ICEAgent(
                configuration: ICEConfiguration(), crypto: STUNTestCrypto(), random: SeededRandom(seed: 3))
            agent.addSocket(
                SocketID(1), address: TransportAddress(ip: own, port: 1_000), properties: ICESocketProperties(),
                at: .zero)
            agent.addTCPSocket(
                SocketID(2), address: own, listeningPort: nil, properties: ICESocketProperties(), at: .zero)
            agent.startGathering(at: .zero)
            agent.setRemote(.random(from: SeededRandom(seed: 4)), isLite: false, at: .zero)
            for transport in [ICETransportProtocol.udp, .tcp] {
                for ip in far.compactMap({ $0 }) {
                    agent.addRemoteCandidate(
                        ICECandidate(
                            foundation: "1", transport: transport, priority: 1, address: .ip(ip), port: 6_379,
                            type: .host, tcpType: transport == .tcp ? .passive : nil), at: .zero)
                }
            }
            let statistics = agent.statistics()
            for transport in [ICETransportProtocol.udp, .tcp] {
                let paired = statistics.remoteCandidates.filter { remote in
                    remote.candidate.transport == transport
                        && statistics.candidatePairs.contains { $0.remoteCandidateID == remote.id }
                }
                #expect(paired.map(\.candidate.address) == expected.map { .ip($0) })
            }
        }
    }

    @Test("Strangers' connections are bounded")
    func strangers() {
        let bench = TCPBench()
        for number in 0..<100 {
            bench.agents[0].connectionAccepted(
                SocketID(1_000 + UInt32(number)), on: SocketID(2),
                from: TransportAddress(ip: IPAddress(198, 51, 100, 1), port: UInt16(1_000 + number)), at: bench.now)
        }
        bench.drain()
        let dropped = bench.events[0].compactMap { if case .disconnect(let id) = $0 { id.rawValue } else { nil } }
        // The oldest ones.
        #expect(dropped == Array(1_000..<1_084))
        // And they keep the peer out of nothing.
        #expect(bench.run(for: .seconds(10)) { bench.isConnected })
    }
}
