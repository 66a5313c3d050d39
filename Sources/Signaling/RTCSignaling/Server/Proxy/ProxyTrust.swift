internal import RTCWire

/// The proxies in front of a ``SignalingServer``, and how they report the address of a client: docs/servers.md, “Behind a
/// proxy”.
public struct ProxyTrust: Hashable, Sendable {
    /// The field of an HTTP request with the client's address.
    public enum Header: String, Hashable, Sendable, CaseIterable {
        case none
        /// `X-Forwarded-For`, with `X-Forwarded-Proto` and `X-Forwarded-Host`.
        case xForwardedFor = "x-forwarded-for"
        /// `Forwarded` (RFC 7239).
        case forwarded
    }

    /// Whether connections of trusted proxies begin with a header of the PROXY protocol, version 1 or 2.
    public enum ProxyProtocol: String, Hashable, Sendable, CaseIterable {
        case off
        /// A connection may begin with a header. Use this only for proxies that always send one, or that read HTTP: through
        /// any other, a client could write its own.
        case optional
        /// A connection without a header is closed.
        case required
    }

    /// The addresses of the proxies. What other addresses report is ignored.
    public var networks = TrustedNetworks()
    /// The one field that is read. All others come from the client, since a proxy passes them on.
    public var header = Header.xForwardedFor
    public var proxyProtocol = ProxyProtocol.off

    public init() {}

    /// Returns whether connections from an address are those of a proxy, which reports the client's address.
    func isProxy(_ address: IPAddress) -> Bool {
        (header != .none || proxyProtocol != .off) && networks.contains(address)
    }

    /// Returns whether requests from an address have a field with the client's address.
    func readsHeaders(of address: IPAddress) -> Bool {
        header != .none && networks.contains(address)
    }
}
