internal import RTCTransport
internal import RTCWire

/// A configured server, with its use.
struct ICEServerAddress {
    /// Its identifier in the configuration.
    let id: TURNServerID
    let url: ICEServerURL
    /// The credentials of a TURN server.
    let credentials: TURNCredentials?

    init(id: TURNServerID, url: ICEServerURL, credentials: TURNCredentials?) {
        self.id = id
        self.url = url
        self.credentials = credentials
    }

    enum Use: Hashable {
        case stun
        case turn(ICERelayProperties.Transport)
        /// The server is not used, for this reason.
        case none(String)
    }

    /// - Throws: ``RTCError`` `invalidArgument` for an invalid URL, or a TURN server without credentials.
    init(_ server: PeerConnection.ICEServer, number: Int) throws(RTCError) {
        id = TURNServerID(number)
        do throws(ICEServerURL.ParseError) {
            url = try ICEServerURL(server.url)
        } catch {
            throw RTCError(code: .invalidArgument, message: "the URL of an ICE server \(error)")
        }
        guard url.scheme.isRelay else {
            credentials = nil
            return
        }
        guard let username = server.username, !username.isEmpty, let password = server.credential, !password.isEmpty
        else {
            throw RTCError(
                code: .invalidArgument,
                message: "the ICE server “\(url)” is a relay, which wants a user name and a credential: give both")
        }
        credentials = TURNCredentials(username: username, password: password)
    }

    var use: Use {
        switch (url.scheme, url.transport) {
        case (.stun, _): .stun
        // The mapping of a TCP connection does not show a NAT's treatment of UDP.
        case (.stuns, _): .none("a STUN server over TLS tells nothing of how UDP passes a NAT")
        case (.turn, .udp): .turn(.udp)
        case (.turn, .tcp): .turn(.tcp)
        case (.turns, .tcp): .turn(.tls)
        case (.turns, .udp): .none("TURN over DTLS is not there: use “turns:” with transport=tcp, or “turn:”")
        }
    }
}
