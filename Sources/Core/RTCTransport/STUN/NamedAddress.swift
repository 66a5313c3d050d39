public import RTCWire

extension TransportAddress {
    /// Whether a server may name this address, and we would send there.
    ///
    /// A server can say anything. What it names has to be an address that can be somebody's, of the family that the server is
    /// reached by; and where the server reaches into, our own machine, link and network, is not for one outside to say.
    func isPlausible(toldBy server: TransportAddress) -> Bool {
        port != 0 && ip.isIPv4 == server.ip.isIPv4 && !ip.isUnspecified && !ip.isMulticast && !ip.isIPv4Mapped
            && ip.v4Bits != .max && ip.isLoopback == server.ip.isLoopback && ip.isLinkLocal == server.ip.isLinkLocal
            && (server.ip.isPrivate || !ip.isPrivate)
    }
}

extension IPAddress {
    /// Whether a STUN or TURN server is asked over UDP from a socket at this address.
    ///
    /// From loopback nothing leaves the machine, and from a link-local address nothing leaves the link. A server on the machine
    /// itself is reached from any of its addresses.
    public func mayAskServer(at server: IPAddress) -> Bool {
        isIPv4 == server.isIPv4 && (server.isLoopback || !isLoopback) && !isLinkLocal
    }
}
