import RTCTransport
import RTCWire
import Testing

/// A client and a server in virtual time, with loss between them, over datagrams or over a stream that is cut anywhere.
final class TURNTestBench {
    var client: TURNClient
    let server = TURNTestServer()
    private(set) var now = Instant.zero
    var delay = TimeDelta.milliseconds(10)
    var loss = 0.0
    /// Another local address, as for each connection of a stream.
    var local = turnAddress("10.0.0.2:40000")
    /// How long a NAT in between remembers the client; another port stands for it then.
    var mappingLifetime: TimeDelta?
    private var lastSent = Instant.zero
    /// The longest time in which nothing went to the server.
    private(set) var longestSilence = TimeDelta.zero
    /// Whether somebody listens at all.
    var isServerUp = true
    /// Whether the present connection leads nowhere, and neither end is told.
    var isCut = false
    /// What listens at another address.
    var others: [TransportAddress: TURNTestServer] = [:]

    private let isStream: Bool
    private let random: SeededRandom
    private var packets: [(arrives: Instant, number: Int, toServer: Bool, at: TransportAddress, bytes: [UInt8])] = []
    private var sequence = 0
    private var toClient: StreamReassembly
    private var toServer: StreamReassembly
    private(set) var connections = 0

    private(set) var events: [TURNEvent] = []
    private(set) var sent = 0
    private(set) var atPeer: [(from: TransportAddress, to: TransportAddress, bytes: [UInt8])] = []
    private(set) var received: [(from: TransportAddress, bytes: [UInt8])] = []

    init(
        seed: UInt64 = 1, transport: ICERelayProperties.Transport = .udp,
        credentials: TURNCredentials? = TURNCredentials(username: "alice", password: "secret"),
        configure: (inout TURNConfiguration) -> Void = { _ in }
    ) {
        var configuration = TURNConfiguration(server: turnAddress("192.0.2.10:3478"), transport: transport)
        configure(&configuration)
        isStream = transport != .udp
        random = SeededRandom(seed: seed)
        client = TURNClient(
            configuration: configuration, credentials: credentials, crypto: STUNTestCrypto(),
            random: SeededRandom(seed: seed &+ 1_000))
        toClient = StreamReassembly(.turn)
        toServer = StreamReassembly(.turn)
    }

    // MARK: What a test does

    func start() { client.start(at: now) }

    /// Starts, and runs until there is an allocation.
    @discardableResult
    func allocate() -> Bool {
        start()
        return run(for: .seconds(60)) { client.isAllocated }
    }

    /// Sends packets to a peer, as an owner does.
    func send(_ packets: [[UInt8]], to peer: TransportAddress, isData: Bool = true) {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            var next = 0
            while next < packets.count {
                batch.removeAll()
                batch.frame(by: client.framing(for: peer))
                while next < packets.count, packets[next].withUnsafeBytes({ batch.append($0) }) { next += 1 }
                guard !batch.isEmpty else { return }
                if client.frame(&batch, to: peer, isData: isData, at: now) { ship(batch) }
            }
        }
        drain()
    }

    func sendFromPeer(_ bytes: [UInt8], from peer: TransportAddress, to relayed: TransportAddress) {
        carry(server.receive(bytes, from: peer, to: relayed, at: now))
    }

    /// Puts bytes into the client's hands as if the server had sent them.
    func inject(_ bytes: [UInt8]) {
        deliver(bytes)
        drain()
    }

    /// Puts bytes into the client's hands as a piece of the stream, wherever that stands.
    func receiveStream(_ bytes: [UInt8]) {
        arriveAtClient(bytes)
        drain()
    }

    func breakConnection() {
        packets = []
        toClient = StreamReassembly(.turn)
        toServer = StreamReassembly(.turn)
        client.disconnected(at: now)
        drain()
    }

    @discardableResult
    func run(for limit: TimeDelta, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        var idle = 0
        while true {
            drain()
            if condition() { return true }
            let next = min(packets.map(\.arrives).min() ?? .distantFuture, client.nextDeadline ?? .distantFuture)
            guard next <= end else {
                now = end
                return condition()
            }
            idle = next <= now ? idle + 1 : 0
            guard idle < 10_000 else {
                Issue.record("The client asks for a deadline that has passed, again and again.")
                return false
            }
            now = max(now, next)
            let due = packets.filter { $0.arrives <= now }.sorted { $0.number < $1.number }
            packets.removeAll { $0.arrives <= now }
            for packet in due {
                if packet.toServer { arriveAtServer(packet.bytes, at: packet.at) } else { arriveAtClient(packet.bytes) }
            }
            if let deadline = client.nextDeadline, deadline <= now { client.handleTimeout(at: now) }
        }
    }

    // MARK: The wire

    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            while client.pollTransmit(into: &batch, at: now) {
                ship(batch)
                batch.removeAll()
            }
        }
        while let event = client.pollEvent() {
            events.append(event)
            guard event == .needsConnection else { continue }
            connections += 1
            isCut = false
            local.port += 1
            if isStream { packets = [] }
            toClient = StreamReassembly(.turn)
            toServer = StreamReassembly(.turn)
            if isServerUp || !isStream { client.connected(at: now) } else { client.disconnected(at: now) }
            drain()
        }
    }

    private func ship(_ batch: borrowing TransmitBatch) {
        if isStream {
            post(Array(batch.memory.prefix(batch.byteCount)), toServer: true)
        } else {
            var start = 0
            while start < batch.byteCount {
                let end = min(start + batch.segmentSize, batch.byteCount)
                post(Array(batch.memory[start..<end]), toServer: true)
                start = end
            }
        }
    }

    private func post(_ bytes: [UInt8], toServer: Bool) {
        if toServer { noteSent() }
        if isStream {
            // A stream loses nothing, and keeps no boundaries.
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + Int(random.next(below: UInt64(rest.count))))
                rest = rest.dropFirst(piece.count)
                append(Array(piece), toServer: toServer)
            }
        } else if random.nextUnit() >= loss {
            append(bytes, toServer: toServer)
        }
    }

    private func noteSent() {
        sent += 1
        longestSilence = max(longestSilence, now - lastSent)
        if let mappingLifetime, now - lastSent >= mappingLifetime { local.port += 1 }
        lastSent = now
    }

    private func append(_ bytes: [UInt8], toServer: Bool) {
        guard !isCut else { return }
        sequence += 1
        packets.append((now + delay, sequence, toServer, client.server, bytes))
    }

    private func arriveAtServer(_ bytes: [UInt8], at address: TransportAddress) {
        let server = others[address] ?? (address == turnAddress("192.0.2.10:3478") ? self.server : nil)
        guard isServerUp, let server else { return }
        guard isStream else {
            carry(server.receive(bytes, from: local, at: now))
            return
        }
        for message in messages(bytes, &toServer) { carry(server.receive(message, from: local, at: now)) }
    }

    private func carry(_ outputs: [TURNTestServer.Output]) {
        for output in outputs {
            switch output {
            case .toClient(let to, var bytes):
                guard to == local else { continue }
                if isStream { bytes += [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
                post(bytes, toServer: false)
            case .toPeer(let from, let to, let bytes): atPeer.append((from, to, bytes))
            }
        }
    }

    private func arriveAtClient(_ bytes: [UInt8]) {
        guard isStream else {
            deliver(bytes)
            return
        }
        for message in messages(bytes, &toClient) { deliver(message) }
        if toClient.isBroken { breakConnection() }
    }

    private func messages(_ bytes: [UInt8], _ reassembly: inout StreamReassembly) -> [[UInt8]] {
        bytes.withUnsafeBytes { memory in
            var piece = memory
            var messages: [[UInt8]] = []
            while true {
                switch reassembly.next(in: &piece) {
                case .borrowed(let message): messages.append(Array(message))
                case .copied(let message): messages.append(message)
                case .none: return messages
                }
            }
        }
    }

    private func deliver(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { memory in
            if case .data(let from, let range) = client.receive(memory.bytes, at: now) {
                received.append((from, Array(memory[range])))
            }
        }
    }

    // MARK: The diary

    var relayed: TransportAddress? { client.relayed.first }

    var failures: [TURNFailure.Reason] {
        events.compactMap { if case .failed(let failure) = $0 { failure.reason } else { nil } }
    }

    var losses: [TURNFailure.Reason] {
        events.compactMap { if case .lost(let failure) = $0 { failure.reason } else { nil } }
    }

    var allocations: Int {
        events.count { if case .allocated = $0 { true } else { false } }
    }

    func count(_ method: STUNMethod) -> Int { server.requests.count { $0 == method } }
}

/// An address in a test; what cannot be read is a mistake of the test's.
func turnAddress(_ text: String) -> TransportAddress {
    guard let address = TransportAddress(text) else {
        Issue.record("\(text) is no address")
        return TransportAddress(ip: IPAddress(v4: 0), port: 0)
    }
    return address
}
