internal import NIOCore
internal import RTCWire

extension IPAddress {
    /// The address of a socket's peer, an IPv4-mapped one as IPv4 and without a zone; `nil` for a Unix socket.
    init?(of address: SocketAddress?) {
        switch address {
        case .v4(let address):
            // `sin_addr` is at offset 4 on every system; its name would need an import of system headers.
            let bytes = withUnsafeBytes(of: address.address) { Array($0.dropFirst(4).prefix(4)) }
            self.init(v4: bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        case .v6(let address):
            // `sin6_addr` is at offset 8.
            let bytes = withUnsafeBytes(of: address.address) { Array($0.dropFirst(8).prefix(16)) }
            let halves = [bytes.prefix(8), bytes.suffix(8)].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
            self = IPAddress(v6High: halves[0], low: halves[1]).unmapped
        case .unixDomainSocket, nil: return nil
        }
    }
}
