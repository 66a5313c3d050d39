import RTCTransport
import RTCWire

/// A TURN server between two peers, in memory: one client, no passwords. What it relays costs no allocation, so that what
/// is measured is the peers.
final class RelayInMemory {
    let transport: ICERelayProperties.Transport
    let address = TransportAddress(ip: IPAddress(10, 0, 0, 200), port: 3_478)
    let relayed = TransportAddress(ip: IPAddress(10, 0, 0, 201), port: 50_000)
    /// The client's connection, over TCP or TLS.
    var connection: SocketID?
    private var channel: UInt16?
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 131_072, alignment: 64)

    init(_ transport: ICERelayProperties.Transport) {
        self.transport = transport
    }

    deinit { memory.deallocate() }

    /// Takes what the client has sent in one write: datagrams of one size, or a piece of the stream.
    func receive(
        fromClient bytes: UnsafeRawBufferPointer, segmentSize: Int, client: TransportAddress,
        toPeer: (UnsafeRawBufferPointer) -> Void, toClient: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        while start + 4 <= bytes.count {
            let head = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self))
            let size = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 2, as: UInt16.self)))
            let isChannel = head >= 0x4000
            if isChannel {
                toPeer(UnsafeRawBufferPointer(rebasing: bytes[start + 4..<start + 4 + size]))
            } else {
                let message = UnsafeRawBufferPointer(rebasing: bytes[start..<start + 20 + size])
                answer(message, client, toPeer: toPeer, toClient: toClient)
            }
            let frame = isChannel ? (4 + size + 3) & ~3 : 20 + size
            start += transport == .udp ? segmentSize : frame
        }
    }

    private func answer(
        _ bytes: UnsafeRawBufferPointer, _ client: TransportAddress, toPeer: (UnsafeRawBufferPointer) -> Void,
        toClient: (UnsafeRawBufferPointer) -> Void
    ) {
        guard let message = STUNMessage(bytes.bytes) else { return }
        if message.messageClass == .indication {
            if message.method == .send, let data = message.value(of: .data) { data.withUnsafeBytes { toPeer($0) } }
            return
        }
        guard message.messageClass == .request else { return }
        var writer = STUNMessageWriter(memory, .successResponse, message.method, message.transactionID)
        switch message.method {
        case .allocate:
            writer.write(.xorRelayedAddress, xor: relayed)
            writer.write(.lifetime, UInt32(3_600))
        case .channelBind: channel = message.uint32(.channelNumber).map { UInt16($0 >> 16) }
        case .refresh: writer.write(.lifetime, UInt32(3_600))
        default: break
        }
        writer.write(.xorMappedAddress, xor: client)
        if let size = writer.finish() { toClient(UnsafeRawBufferPointer(rebasing: memory[..<size])) }
    }

    /// Takes the datagrams of one write of the peer's, all for the relayed address.
    func receive(
        fromPeer bytes: UnsafeRawBufferPointer, segmentSize: Int, peer: TransportAddress,
        toClient: (UnsafeRawBufferPointer) -> Void
    ) {
        var written = 0
        var start = 0
        while start < bytes.count {
            let end = min(start + segmentSize, bytes.count)
            let frame = write(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), from: peer, at: written)
            if transport == .udp {
                toClient(UnsafeRawBufferPointer(rebasing: memory[written..<written + frame]))
            } else {
                written += frame
            }
            start = end
        }
        if written > 0 { toClient(UnsafeRawBufferPointer(rebasing: memory[..<written])) }
    }

    private func write(_ data: UnsafeRawBufferPointer, from peer: TransportAddress, at start: Int) -> Int {
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[start...])
        guard let channel else {
            var writer = STUNMessageWriter(room, .indication, .data, STUNTransactionID(high: 0, low: 1))
            writer.write(.xorPeerAddress, xor: peer)
            writer.write(.data, data)
            return writer.finish() ?? 0
        }
        room.storeBytes(of: channel.bigEndian, as: UInt16.self)
        room.storeBytes(of: UInt16(data.count).bigEndian, toByteOffset: 2, as: UInt16.self)
        UnsafeMutableRawBufferPointer(rebasing: room[4..<4 + data.count]).copyMemory(from: data)
        return transport == .udp ? 4 + data.count : (4 + data.count + 3) & ~3
    }
}
