import RTCTransport
import RTCWire
import Testing

/// A peer that a test plays by hand: it writes checks and answers as they should be, or not quite.
struct ICEScriptedPeer {
    var credentials = ICECredentials(usernameFragment: "peerFRAG", password: "peerpasswordpeerpassword")
    let crypto = STUNTestCrypto()
    private let random = SeededRandom(seed: 99)

    /// A Binding request to `agent`.
    func check(
        to agent: ICEAgent, priority: UInt32? = 1_845_501_695, controlling: Bool? = false, tieBreaker: UInt64 = 1,
        useCandidate: Bool = false, username: String? = nil, password: String? = nil,
        extra: (inout STUNMessageWriter) -> Void = { _ in }
    ) -> [UInt8] {
        let local = agent.localCredentials
        let bytes = stunMessage(.request, .binding, .random(from: random)) { writer in
            writer.write(.username, username ?? "\(local.usernameFragment):\(credentials.usernameFragment)")
            if let priority { writer.write(.priority, priority) }
            if let controlling { writer.write(controlling ? .iceControlling : .iceControlled, tieBreaker) }
            if useCandidate { writer.writeFlag(.useCandidate) }
            extra(&writer)
            writer.writeMessageIntegrity(
                key: STUNCredentials.shortTermKey(password: password ?? local.password), crypto: crypto)
            writer.writeFingerprint()
        }
        return bytes ?? []
    }

    /// The success response to a check of the agent's, from the address that it came from.
    func answer(
        _ check: [UInt8], mapped: TransportAddress, password: String? = nil,
        extra: (inout STUNMessageWriter) -> Void = { _ in }
    ) -> [UInt8] {
        respond(check, .successResponse, password: password) { writer in
            writer.write(.xorMappedAddress, xor: mapped)
            extra(&writer)
        }
    }

    func refuse(_ check: [UInt8], _ error: STUNError, password: String? = nil) -> [UInt8] {
        respond(check, .errorResponse, password: password) { $0.write(error) }
    }

    private func respond(
        _ check: [UInt8], _ messageClass: STUNClass, password: String?, _ body: (inout STUNMessageWriter) -> Void
    ) -> [UInt8] {
        let bytes = check.withUnsafeBytes { memory -> [UInt8]? in
            guard let id = STUNMessage(memory.bytes)?.transactionID else { return nil }
            return stunMessage(messageClass, .binding, id) { writer in
                body(&writer)
                writer.writeMessageIntegrity(
                    key: STUNCredentials.shortTermKey(password: password ?? credentials.password), crypto: crypto)
                writer.writeFingerprint()
            }
        }
        return bytes ?? []
    }
}

/// One agent without a network: what it sends is taken by the test.
struct ICESoloAgent {
    var agent: ICEAgent
    var now = Instant.zero
    let own = iceAddress("192.0.2.1:1000")
    let other = iceAddress("192.0.2.2:2000")
    let peer = ICEScriptedPeer()

    init(controlling: Bool = true, configuration: ICEConfiguration = ICEConfiguration(), gathers: Bool = true) {
        agent = ICEAgent(configuration: configuration, crypto: STUNTestCrypto(), random: SeededRandom(seed: 7))
        agent.setControlling(controlling)
        agent.addSocket(SocketID(1), address: own, properties: ICESocketProperties(kind: .wired), at: now)
        if gathers {
            agent.startGathering(at: now)
            agent.endOfSockets(at: now)
        }
    }

    mutating func receive(_ bytes: [UInt8], from: TransportAddress? = nil) {
        bytes.withUnsafeBytes { agent.receive($0.bytes, from: from ?? other, on: SocketID(1), at: now) }
    }

    /// What the agent wants to send, with where to.
    mutating func sent() -> [(bytes: [UInt8], to: TransportAddress)] {
        var messages: [(bytes: [UInt8], to: TransportAddress)] = []
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            while agent.pollTransmit(into: &batch, at: now) {
                messages.append((Array(memory[0..<batch.byteCount]), batch.path.remote))
                batch.removeAll()
            }
        }
        return messages
    }

    /// The kinds of messages among `messages`.
    static func classes(_ messages: [(bytes: [UInt8], to: TransportAddress)]) -> [STUNClass] {
        messages.compactMap { message in
            message.bytes.withUnsafeBytes { STUNMessage($0.bytes)?.messageClass }
        }
    }

    static func errorCodes(_ messages: [(bytes: [UInt8], to: TransportAddress)]) -> [UInt16] {
        messages.compactMap { message in
            message.bytes.withUnsafeBytes { STUNMessage($0.bytes)?.error?.code }
        }
    }

    static func nominates(_ message: [UInt8]) -> Bool {
        message.withUnsafeBytes { STUNMessage($0.bytes)?.useCandidate ?? false }
    }

    /// Lets the time pass and answers the checks that go to `address`, and no others.
    mutating func wait(_ time: TimeDelta, answering address: TransportAddress) {
        let end = now + time
        while now < end {
            wait(min(.milliseconds(500), end - now))
            for message in sent() where message.to == address && Self.classes([message]) == [.request] {
                receive(peer.answer(message.bytes, mapped: own), from: address)
            }
        }
    }

    /// Lets the time pass, deadline by deadline.
    mutating func wait(_ time: TimeDelta) {
        let end = now + time
        while let deadline = agent.nextDeadline, deadline <= end {
            now = max(now, deadline)
            agent.handleTimeout(at: now)
        }
        now = end
    }

    mutating func events() -> [ICEEvent] {
        var events: [ICEEvent] = []
        while let event = agent.pollEvent() { events.append(event) }
        return events
    }

    mutating func hostCandidate(_ address: String, priority: UInt32 = 2_130_706_431) -> ICECandidate {
        let address = iceAddress(address)
        return ICECandidate(
            foundation: "1", priority: priority, address: .ip(address.ip), port: address.port, type: .host)
    }
}
