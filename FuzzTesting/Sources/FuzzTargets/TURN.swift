import RTCSimulation
import RTCTransport
import RTCWire

/// A TURN client whose server says anything, with the transaction IDs that it was asked with and, if the input wants so,
/// with the integrity that makes it believed.
func fuzzTURN(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var server = FuzzedTURNServer(transport: input.byte())
    while !input.isEmpty { server.step(&input) }
}

/// The pieces of a byte stream, for the three ways in which messages follow each other there.
func fuzzStream(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let framing = [StreamFraming.turn, .lengthPrefixed, .stun][input.number(below: 3)]
    var whole = StreamReassembly(framing)
    var cut = StreamReassembly(framing)
    var expected: [[UInt8]] = []
    var found: [[UInt8]] = []
    while !input.isEmpty {
        let piece = input.chunk(limit: 4_096)
        take(piece, &whole, &expected)
        // Byte by byte it means the same.
        for byte in piece { take([byte], &cut, &found) }
        precondition(whole.byteCount <= 65_560, "a stream is kept without bound")
        precondition(whole.isBroken == cut.isBroken && expected == found, "the pieces decide what the stream means")
    }
}

private func take(_ bytes: [UInt8], _ reassembly: inout StreamReassembly, _ messages: inout [[UInt8]]) {
    bytes.withUnsafeBytes { memory in
        var piece = memory
        while true {
            switch reassembly.next(in: &piece) {
            case .borrowed(let message): messages.append(Array(message))
            case .copied(let message): messages.append(message)
            case .none: return
            }
        }
    }
}

private struct FuzzedTURNServer {
    private let crypto = StandInCrypto(seed: 1)
    private var client: TURNClient
    private var now = Instant.zero
    private var requests: [(method: STUNMethod, id: STUNTransactionID)] = []
    private var sent = 0

    init(transport: UInt8) {
        let transports = [ICERelayProperties.Transport.udp, .tcp, .tls]
        let server = TransportAddress(ip: IPAddress(192, 0, 2, 1), port: 3_478)
        var configuration = TURNConfiguration(server: server, transport: transports[Int(transport) % 3])
        configuration.families = TURNFamilies.allCases[Int(transport >> 4) % 3]
        client = TURNClient(
            configuration: configuration, credentials: TURNCredentials(username: "u", password: "p"), crypto: crypto,
            random: SeededRandom(seed: 1))
        client.start(at: now)
        drain()
    }

    mutating func step(_ input: inout FuzzInput) {
        switch input.number(below: 12) {
        case 0: receive(input.chunk())
        case 1...6: answer(&input)
        case 7:
            now += .milliseconds(Int64(input.byte()) * Int64(input.byte()))
            client.handleTimeout(at: now)
        case 8: send(&input)
        case 9: client.bind(peer(&input), at: now)
        case 10: client.disconnected(at: now)
        default:
            if input.byte() < 16 {
                client.close(at: now)
            } else {
                client.setCredentials(TURNCredentials(username: "u\(input.byte())", password: "p"), at: now)
            }
        }
        drain()
        if let deadline = client.nextDeadline, deadline <= now {
            client.handleTimeout(at: now)
            drain()
            precondition(client.nextDeadline.map { $0 > now } ?? true, "a deadline that has passed, for ever")
        }
    }

    private func peer(_ input: inout FuzzInput) -> TransportAddress {
        let number = input.byte()
        let ip = number & 1 == 0 ? IPAddress(192, 0, 2, number) : IPAddress(v6High: 1, low: UInt64(number))
        return TransportAddress(ip: ip, port: UInt16(number >> 4))
    }

    private mutating func send(_ input: inout FuzzInput) {
        let peer = peer(&input)
        let data = input.chunk()
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            batch.frame(by: client.framing(for: peer))
            _ = data.withUnsafeBytes { batch.append($0) }
            if !batch.isEmpty { _ = client.frame(&batch, to: peer, isData: true, at: now) }
        }
    }

    private mutating func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { memory in
            if case .data(_, let range) = client.receive(RawSpan(_unsafeBytes: memory), at: now) {
                precondition(range.lowerBound >= 0 && range.upperBound <= memory.count, "data outside of the message")
            }
        }
    }

    /// One of the last requests is answered, with any attributes.
    private mutating func answer(_ input: inout FuzzInput) {
        guard !requests.isEmpty else { return }
        let request = requests[max(requests.count - 1 - input.number(below: 4), 0)]
        let kind = input.byte()
        let isError = kind & 3 == 0
        var memory = [UInt8](repeating: 0, count: 4_096)
        let size: Int? = memory.withUnsafeMutableBytes { memory in
            var writer = STUNMessageWriter(
                memory, isError ? .errorResponse : .successResponse, request.method, request.id)
            if isError {
                let codes: [UInt16] = [300, 400, 401, 403, 437, 438, 440, 441, 442, 443, 486, 500, 508, 699]
                writer.write(STUNError(codes[input.number(below: codes.count)]))
                if kind & 4 == 0 {
                    writer.write(.realm, "r\(input.number(below: 3))")
                    writer.write(.nonce, input.chunk(limit: 40))
                }
                if kind & 8 == 0 { writer.write(.passwordAlgorithms, input.chunk(limit: 16)) }
                if kind & 16 == 0 { writer.write(.alternateServer, input.chunk(limit: 20)) }
            } else {
                let ip = kind & 4 == 0 ? IPAddress(203, 0, 113, 1) : IPAddress(v6High: 2, low: 1)
                writer.write(.xorRelayedAddress, xor: TransportAddress(ip: ip, port: UInt16(input.byte())))
                writer.write(.xorMappedAddress, xor: TransportAddress(ip: ip, port: 1))
                writer.write(.lifetime, UInt32(input.byte()) << (kind >> 4 & 7))
            }
            if kind & 32 == 0 {
                for realm in 0..<3 where realm == input.number(below: 3) || kind & 64 == 0 {
                    let key = STUNCredentials.longTermKey(
                        username: "u", realm: "r\(realm)", password: "p", crypto: crypto)
                    writer.writeMessageIntegrity(key: key ?? [], crypto: crypto)
                    break
                }
            }
            return writer.finish()
        }
        receive(input.mutate(Array(memory.prefix(size ?? 0))))
    }

    private mutating func drain() {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { memory in
            var batch = TransmitBatch(memory)
            var count = 0
            while client.pollTransmit(into: &batch, at: now) {
                count += 1
                precondition(count < 1_000, "one input makes it send without end")
                let bytes = UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount))
                if let message = STUNMessage(RawSpan(_unsafeBytes: bytes)), message.messageClass == .request {
                    requests.append((message.method, message.transactionID))
                    if requests.count > 16 { requests.removeFirst() }
                }
                batch.removeAll()
            }
        }
        while let event = client.pollEvent() {
            if event == .needsConnection { client.connected(at: now) }
        }
    }
}
