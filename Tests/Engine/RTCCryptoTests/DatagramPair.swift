import RTCCrypto
import RTCTransport
import RTCWire

/// What a network does to datagrams, by chance out of 100.
struct Impairment {
    var loss: UInt64 = 0
    var duplication: UInt64 = 0
    /// The share of datagrams that are delayed by up to ``jitter`` more.
    var reordering: UInt64 = 0
    var delay: TimeDelta = .milliseconds(20)
    var jitter: TimeDelta = .milliseconds(60)
    /// Only datagrams sent by this time are impaired.
    var until: Instant = .distantFuture
}

/// Two DTLS transports and the datagrams between them, in virtual time.
final class DatagramPair {
    enum Side: Int { case client = 0, server = 1 }

    struct Endpoint {
        var transport: DTLSTransport
        let certificate: Certificate
        var states: [DTLSTransportState] = []
        var received: [[UInt8]] = []
        var sentSizes: [Int] = []
    }

    private struct Flying {
        var arrival: Instant
        var order: Int
        var to: Side
        var datagram: [UInt8]
    }

    var now = Instant.zero
    var client: Endpoint
    var server: Endpoint
    var impairment: Impairment
    /// The last datagram that each side received.
    var lastDelivered: [[UInt8]] = [[], []]
    private var flying: [Flying] = []
    private var sent = 0
    private let random: SeededRandom

    init(
        versions: (client: ClosedRange<DTLSVersion>, server: ClosedRange<DTLSVersion>) = (.v12 ... .v13, .v12 ... .v13),
        impairment: Impairment = Impairment(), seed: UInt64 = 1, postQuantumFirst: Bool = false,
        srtp: (client: [SRTPProfile], server: [SRTPProfile])? = nil,
        certificates: (client: Certificate, server: Certificate)? = nil, keyUpdateInterval: Int = 1 << 23
    ) throws {
        func endpoint(
            _ versions: ClosedRange<DTLSVersion>, _ profiles: [SRTPProfile]?, _ certificate: Certificate?
        ) throws -> Endpoint {
            let certificate = try certificate ?? Certificate.generate()
            var configuration = DTLSConfiguration(certificate: certificate)
            configuration.minimumVersion = versions.lowerBound
            configuration.maximumVersion = versions.upperBound
            if let profiles { configuration.srtpProfiles = profiles }
            let crypto = BoringCrypto(postQuantumFirst: postQuantumFirst, keyUpdateInterval: keyUpdateInterval)
            return Endpoint(
                transport: DTLSTransport(configuration: configuration, crypto: crypto), certificate: certificate)
        }
        client = try endpoint(versions.client, srtp?.client, certificates?.client)
        server = try endpoint(versions.server, srtp?.server, certificates?.server)
        self.impairment = impairment
        random = SeededRandom(seed: seed)
    }

    /// Gives both sides the other's true fingerprints and a path.
    func connect() {
        client.transport.setRemote(fingerprints: server.transport.localFingerprints, role: .client, at: now)
        server.transport.setRemote(fingerprints: client.transport.localFingerprints, role: .server, at: now)
        client.transport.start(at: now)
        server.transport.start(at: now)
    }

    /// Lets time pass from event to event until `condition` holds or `limit` has come; answers whether it holds.
    @discardableResult
    func run(
        until limit: Instant = Instant(nanoseconds: 60_000_000_000),
        _ condition: (DatagramPair) -> Bool = { _ in false }
    ) -> Bool {
        while true {
            collect(.client)
            collect(.server)
            if condition(self) { return true }
            let deadlines = [client.transport.nextDeadline, server.transport.nextDeadline, flying.map(\.arrival).min()]
            guard let next = deadlines.compactMap({ $0 }).min(), next <= limit else {
                now = max(now, limit)
                return false
            }
            now = max(now, next)
            if let due = client.transport.nextDeadline, due <= now { client.transport.handleTimeout(at: now) }
            if let due = server.transport.nextDeadline, due <= now { server.transport.handleTimeout(at: now) }
            let arrived = flying.filter { $0.arrival <= now }.sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
            flying.removeAll { $0.arrival <= now }
            for datagram in arrived { deliver(datagram.datagram, to: datagram.to) }
        }
    }

    func connectAndRun() -> Bool {
        connect()
        return run { $0.isConnected }
    }

    var isConnected: Bool { client.transport.state == .connected && server.transport.state == .connected }

    /// Seals one message; it is sent with the next ``run(until:_:)``.
    func send(_ message: [UInt8], from side: Side) -> Bool {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 20_000, alignment: 16)
        defer { memory.deallocate() }
        var batch = TransmitBatch(memory)
        let isSealed = message.withUnsafeBytes { self[side].transport.seal($0, into: &batch) }
        launch(batch, from: side)
        return isSealed
    }

    func deliver(_ datagram: [UInt8], to side: Side) {
        lastDelivered[side.rawValue] = datagram
        datagram.withUnsafeBytes { self[side].transport.receive(RawSpan(_unsafeBytes: $0), at: now) }
        read(side)
    }

    func read(_ side: Side) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 17_000, alignment: 16)
        defer { buffer.deallocate() }
        while let count = self[side].transport.readApplicationData(into: buffer) {
            self[side].received.append(Array(buffer.prefix(count)))
        }
    }

    subscript(side: Side) -> Endpoint {
        get { side == .client ? client : server }
        _modify {
            if side == .client { yield &client } else { yield &server }
        }
    }

    /// Takes what a side has to send, and its events.
    func collect(_ side: Side) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_000, alignment: 16)
        defer { memory.deallocate() }
        while true {
            var batch = TransmitBatch(memory)
            guard self[side].transport.pollTransmit(into: &batch, at: now) else { break }
            launch(batch, from: side)
        }
        while let event = self[side].transport.pollEvent() {
            if case .state(let state) = event { self[side].states.append(state) }
        }
        read(side)
    }

    private func launch(_ batch: borrowing TransmitBatch, from side: Side) {
        for index in 0..<batch.count {
            let start = index * batch.segmentSize
            let end = min(start + batch.segmentSize, batch.byteCount)
            let datagram = Array(batch.memory[start..<end])
            self[side].sentSizes.append(datagram.count)
            launch(datagram, to: side == .client ? .server : .client)
        }
    }

    func launch(_ datagram: [UInt8], to side: Side) {
        let isImpaired = now <= impairment.until
        if isImpaired, random.next(below: 100) < impairment.loss { return }
        let copies = isImpaired && random.next(below: 100) < impairment.duplication ? 2 : 1
        for _ in 0..<copies {
            var arrival = now + impairment.delay
            if isImpaired, random.next(below: 100) < impairment.reordering {
                arrival += .nanoseconds(Int64(random.next(below: UInt64(max(1, impairment.jitter.nanoseconds)))))
            }
            sent += 1
            flying.append(Flying(arrival: arrival, order: sent, to: side, datagram: datagram))
        }
    }
}

extension SRTPKeyingMaterial {
    /// The same material from the other side.
    func mirrors(_ other: SRTPKeyingMaterial) -> Bool {
        profile == other.profile && localKey == other.remoteKey && localSalt == other.remoteSalt
            && remoteKey == other.localKey && remoteSalt == other.localSalt
    }
}
