internal import RTCPeer
internal import RTCWire

extension PacketDump: PacketTap {
    func packet(
        _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant
    ) {
        let unspecified = path.remote.ip.isIPv4 ? IPAddress(v4: 0) : IPAddress(v6High: 0, low: 0)
        let local = localAddresses[path.socket] ?? TransportAddress(ip: unspecified, port: 0)
        write(
            packet, carrier: kind == .sctp ? .sctp : .udp, from: isOutgoing ? local : path.remote,
            to: isOutgoing ? path.remote : local, at: now)
    }
}
