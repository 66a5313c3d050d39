internal import NIOCore
internal import NIOHTTP1
internal import RTCWire

/// The host and scheme of a request, as its client sent it.
struct RequestOrigin {
    /// The values of `Host`.
    var hosts: [String]
    /// `http` or `https`, if a trusted proxy reports it.
    var scheme: String?
    /// Whether the client's network may have another connection.
    var hasRoom = true
}

// MARK: - Clients behind trusted proxies

extension ServerCore {
    /// Takes the client's address from a header of the PROXY protocol.
    ///
    /// - Parameter header: `nil` if the trusted proxy sent none.
    /// - Returns: Whether there is room for the client's connection.
    func identify(_ socket: ServerSocket, by header: ProxyHeader?) -> Bool {
        guard let header else {
            socket.forwardsRequests = configuration.proxies.header != .none
            return socket.forwardsRequests || admit(socket, client: nil)
        }
        socket.forwardsRequests = false
        guard case .client(let address, _) = header.source else { return admit(socket, client: nil) }
        socket.hop = address
        // The client may be another trusted proxy, whose requests say more.
        socket.forwardsRequests = configuration.proxies.readsHeaders(of: address)
        return socket.forwardsRequests || admit(socket, client: address)
    }

    /// Returns host and scheme of a request, and counts its connection to the network of its client.
    func origin(of head: HTTPRequestHead, on socket: ServerSocket) -> RequestOrigin {
        let hosts = head.headers["host"]
        guard socket.forwardsRequests else { return RequestOrigin(hosts: hosts) }
        let fields = ForwardedRequest.Fields(
            forwarded: head.headers["forwarded"], forwardedFor: head.headers["x-forwarded-for"],
            forwardedHost: head.headers["x-forwarded-host"], forwardedProto: head.headers["x-forwarded-proto"])
        let request = ForwardedRequest(fields, from: configuration.proxies)
        countMalformedForwarding(request.malformedCount)
        let hasRoom = admit(socket, client: request.client)
        // A request with several hosts is refused, whatever a proxy made of it.
        let isRewritten = hosts.count <= 1
        return RequestOrigin(
            hosts: isRewritten ? request.host.map { [$0] } ?? hosts : hosts, scheme: request.scheme, hasRoom: hasRoom)
    }

    /// Counts a connection of a trusted proxy to the network of its client, in place of that of the previous request.
    ///
    /// Loopback is not exempt here: otherwise, a client whose address is unknown would have no limits.
    ///
    /// - Parameter client: `nil` if it is unknown; the limits of the proxy's address apply then.
    /// - Returns: Whether there is room.
    private func admit(_ socket: ServerSocket, client: IPAddress?) -> Bool {
        guard isOpen(socket) else { return false }
        guard let address = client ?? socket.hop else { return true }
        let key = AddressTable.Key(address)
        if client == nil { countUnknownClient() }
        guard key != socket.network else {
            socket.client = address
            return true
        }
        guard case .admitted(let entry) = addresses.admit(key, at: now) else {
            countRefusal(.network)
            return false
        }
        addresses.release(socket.address)
        socket.client = address
        socket.move(to: key, entry, entry?.networkQueue)
        return true
    }
}
