package import RTCWire

/// The transport to a server, and the requested allocation.
package struct TURNConfiguration: Sendable, Hashable {
    /// The server's address.
    package var server: TransportAddress
    package var transport: ICERelayProperties.Transport
    /// The address families of the requested relayed addresses.
    package var families: TURNFamilies
    /// When a request over UDP is repeated. Over a stream it is sent once, and waited for as long as all this takes.
    package var retransmission: STUNRetransmission

    /// Over UDP: requests a separate local socket first, since another client uses the owner's socket for this server.
    package var wantsOwnSocket = false

    /// The most peers, by IP address, that may have a permission at one time.
    package var maximumPermissions = 32
    /// The most channels at one time.
    package var maximumChannels = 64
    /// The most packets that wait for a permission.
    package var maximumHeldPackets = 16

    package init(
        server: TransportAddress, transport: ICERelayProperties.Transport, families: TURNFamilies = .ipv4AndIPv6,
        retransmission: STUNRetransmission = STUNRetransmission()
    ) {
        self.server = server
        self.transport = transport
        self.families = families
        self.retransmission = retransmission
    }

    var isStream: Bool { transport != .udp }
}

/// The address families of the requested relayed addresses; independent of the family by which the server is reached.
package enum TURNFamilies: Sendable, Hashable, CaseIterable {
    case ipv4
    /// REQUESTED-ADDRESS-FAMILY (RFC 8656, section 18.6).
    case ipv6
    /// An IPv4 address, and an IPv6 address if the server has one: ADDITIONAL-ADDRESS-FAMILY (section 18.11).
    case ipv4AndIPv6

    func contains(_ address: IPAddress) -> Bool {
        switch self {
        case .ipv4: address.isIPv4
        case .ipv6: address.isIPv6
        case .ipv4AndIPv6: true
        }
    }
}

/// An event that a TURN client reports to its owner.
package enum TURNEvent: Sendable, Hashable {
    /// The server relays for us: at these addresses, one per family. `mapped` is our address as the server sees it.
    case allocated(relayed: [TransportAddress], mapped: TransportAddress)
    /// The allocation is lost. Unless ``failed(_:)`` follows, the client tries to get another one.
    case lost(TURNFailure)
    /// The client pauses, for the time given in the failure, or for good.
    case failed(TURNFailure)
    /// The server redirects to another one (300), whose certificate is for this domain if it is given; or that server
    /// is unusable, and the client returns to the first. Over UDP the client switches by itself; over a stream
    /// ``needsConnection`` follows.
    case redirected(to: TransportAddress, domain: String?)
    /// A stream to ``TURNClient/server`` is needed, replacing any existing one; over UDP, another local socket, because
    /// the server has assigned the current address to another client. Answer with ``TURNClient/connected(at:)`` or
    /// ``TURNClient/disconnected(at:)``.
    case needsConnection
    /// The stream is dead, or not needed for now: close it. No answer is expected.
    case dropsConnection
    /// The server refuses to relay to this address.
    case refused(peer: IPAddress, TURNFailure)
    /// Packets to this peer go over a channel from now on.
    case bound(peer: TransportAddress)
}

/// Why a server does not relay for us.
package struct TURNFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// 401 to our credentials: they are wrong, or have expired.
        case unauthorized
        /// 403: an administrator does not want it.
        case forbidden
        /// 437: the server does not know our allocation, or has another one for our address.
        case allocationMismatch
        /// 440, 443: the server cannot relay to or from this family.
        case addressFamily
        /// 441: the allocation belongs to other credentials.
        case wrongCredentials
        /// 442
        case unsupportedTransport
        /// 486
        case quotaReached
        /// 508
        case insufficientCapacity
        /// 300 without an address that can be used, in a circle, or too often.
        case redirection
        /// 400, 420 and any other 4xx.
        case refused
        /// 500 and any other 5xx.
        case serverError
        /// The server asks for credentials and none were given.
        case credentialsMissing
        /// A challenge that is invalid, or repeated.
        case challenge
        /// The announced password algorithms are missing from a challenge: an attacker may have removed them.
        case bidDown
        /// The server supports none of our password algorithms.
        case passwordAlgorithm
        /// No authentic response came.
        case integrity
        /// The server does not answer.
        case noAnswer
        /// A response without a required attribute.
        case malformed
        /// The connection to the server ended, or its bytes made no sense.
        case connectionLost
    }

    package var reason: Reason
    /// The number of ERROR-CODE, if the response has one.
    package var code: UInt16?
    /// When the client retries by itself; `nil` for never.
    package var retryAfter: TimeDelta?

    package init(_ reason: Reason, code: UInt16? = nil, retryAfter: TimeDelta? = nil) {
        self.reason = reason
        self.code = code
        self.retryAfter = retryAfter
    }

    /// The cause of the failure, and how to fix it.
    package var description: String {
        let text =
            switch reason {
            case .unauthorized:
                "the TURN server refuses the user name or password: check them, and whether they have expired"
            case .forbidden: "the TURN server's administrator does not allow this"
            case .allocationMismatch:
                "the TURN server has no allocation for this address, or another one: it was restarted, or a NAT reused the port"
            case .addressFamily: "the TURN server cannot relay between these address families"
            case .wrongCredentials: "the allocation at the TURN server was made with other credentials"
            case .unsupportedTransport: "the TURN server does not relay UDP"
            case .quotaReached: "this user has as many allocations at the TURN server as it allows"
            case .insufficientCapacity: "the TURN server has no capacity left"
            case .redirection: "the TURN server sends its clients elsewhere, and that leads nowhere"
            case .refused: "the TURN server refuses the request"
            case .serverError: "the TURN server has trouble of its own"
            case .credentialsMissing: "the TURN server wants a user name and a password: give both with its URL"
            case .challenge: "the TURN server's challenges cannot be answered"
            case .bidDown: "the TURN server's password algorithms were removed on the way: somebody may be attacking"
            case .passwordAlgorithm: "the TURN server accepts no password algorithm but unknown ones"
            case .integrity:
                "answers came in the TURN server's name, but with a wrong integrity: is the password right?"
            case .noAnswer: "the TURN server does not answer: check its address, and whether a firewall is in between"
            case .malformed: "the TURN server's answer is incomplete"
            case .connectionLost: "the connection to the TURN server was lost"
            }
        return code.map { "\(text) (\($0))" } ?? text
    }
}
