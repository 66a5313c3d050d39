public import RTCWire

extension TransportAddress {
    /// Whether to accept this address from a server and send there.
    ///
    /// A server can name any address. It must be a usable unicast address of the server's own address family, and in
    /// our loopback, link-local or private range only if the server is in that range too.
    func isPlausible(reportedBy server: TransportAddress) -> Bool {
        port != 0 && ip.isIPv4 == server.ip.isIPv4 && !ip.isUnspecified && !ip.isMulticast && !ip.isIPv4Mapped
            && ip.v4Bits != .max && ip.isLoopback == server.ip.isLoopback && ip.isLinkLocal == server.ip.isLinkLocal
            && (server.ip.isPrivate || !ip.isPrivate)
    }
}

extension IPAddress {
    /// Whether requests to a STUN or TURN server are sent over UDP from a socket at this address.
    ///
    /// Packets from loopback do not leave the machine, and those from a link-local address do not leave the link. A
    /// server on the machine itself is reached from any of its addresses.
    @usableFromInline package func mayAskServer(at server: IPAddress) -> Bool {
        isIPv4 == server.isIPv4 && (server.isLoopback || !isLoopback) && !isLinkLocal
    }
}
