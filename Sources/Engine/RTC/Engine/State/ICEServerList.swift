internal import RTCTransport

/// The STUN and TURN servers of a connection.
struct ICEServerList {
    private(set) var configured: [ICEServerAddress]
    /// Servers removed from the configuration that still relay for us.
    private(set) var former: [ICEServerAddress] = []
    private var nextNumber: Int

    init(_ servers: [PeerConnection.ICEServer]) throws(RTCError) {
        configured = try Self.addresses(of: servers)
        nextNumber = configured.count
    }

    private static func addresses(of servers: [PeerConnection.ICEServer]) throws(RTCError) -> [ICEServerAddress] {
        var addresses: [ICEServerAddress] = []
        for (number, server) in servers.enumerated() { addresses.append(try ICEServerAddress(server, number: number)) }
        return addresses
    }

    /// Replaces the configured servers. Known ones, by URL, keep their identifiers.
    ///
    /// - Returns: The known servers, with their new credentials, and the removed ones.
    mutating func replace(
        by servers: [PeerConnection.ICEServer]
    ) throws(RTCError) -> (known: [ICEServerAddress], removed: [ICEServerAddress]) {
        let new = try Self.addresses(of: servers)
        var before = configured
        var known: [ICEServerAddress] = []
        configured = []
        for server in new {
            // A URL may be listed several times, for several users: then the order distinguishes them.
            if let index = before.firstIndex(where: { $0.url == server.url }) {
                let id = before.remove(at: index).id
                let address = ICEServerAddress(id: id, url: server.url, credentials: server.credentials)
                configured.append(address)
                known.append(address)
            } else {
                let id = TURNServerID(nextNumber)
                nextNumber += 1
                configured.append(ICEServerAddress(id: id, url: server.url, credentials: server.credentials))
            }
        }
        return (known, before)
    }

    /// Keeps a removed server among the former ones, of which those that still relay for us remain.
    mutating func keepFormer(_ server: ICEServerAddress, whileInUse isInUse: (TURNServerID) -> Bool) {
        former.removeAll { !isInUse($0.id) }
        if isInUse(server.id) { former.append(server) }
    }

    /// The configured server with this identifier.
    subscript(id: TURNServerID) -> ICEServerAddress? { configured.first { $0.id == id } }

    /// The URL of a configured or former server.
    func url(of id: TURNServerID) -> ICEServerURL? { (configured + former).first { $0.id == id }?.url }
}
