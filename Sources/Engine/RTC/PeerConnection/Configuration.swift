public import Logging
public import RTCCrypto
public import RTCPeer
public import RTCTransport
public import RTCWire

extension PeerConnection {
    /// How a connection is set up. The defaults make a call between two peers on one network.
    public struct Configuration: Sendable {
        /// STUN servers (RFC 7064), by which a peer behind a NAT learns its public address, and TURN servers (RFC 7065),
        /// which relay where there is no direct way. Without any, only peers of one network meet.
        public var iceServers: [ICEServer] = []

        /// Which of our own candidates are shown and used: all, or relayed ones alone, so that the other peer never learns
        /// an address of ours.
        public var iceTransportPolicy: ICECandidatePolicy = .all

        /// Whom a `turns:` server's certificate has to be signed by.
        public var serverTrust = ServerTrust.system

        /// Who drives the exchange of descriptions. See ``PeerConnection/signals``.
        ///
        /// With `.perfect`, one side of a call is polite and the other is not; which is which does not matter, as long
        /// as they differ: the one that starts the call is usually the impolite one.
        public var negotiation: NegotiationMode = .perfect(isPolite: true)

        /// Whether this side makes no offer before it has had one. Who is called adds tracks and data channels at once,
        /// and they go into the answer. It matters with `.perfect` negotiation alone.
        public var waitsForOffer = false

        /// Our certificate. `nil` generates one for this connection, as browsers do.
        public var certificate: Certificate?

        /// DTLS versions that may be negotiated.
        public var dtlsVersions: ClosedRange<DTLSVersion> = .v12 ... .v13

        /// Which local addresses are used.
        public var network = NetworkPolicy()

        /// How sound and picture are carried.
        public var media = MediaConfiguration()

        /// The largest message that is accepted, in bytes. It is announced to the other peer (RFC 8841).
        public var maximumMessageSize = 262_144

        /// Unsent bytes that a data channel holds before ``DataChannel/send(_:)-(String)`` waits. All channels together
        /// hold up to sixteen times as much, and at least 16 MiB, counting what the other peer has not acknowledged.
        public var sendBufferLimit = 1_048_576

        /// Received bytes, over all data channels, that wait for the application before the other peer has to pause, at
        /// most. It pauses at 1 MiB until the application has read more than that per round trip, as on a long fast path.
        public var receiveBufferLimit = 16_777_216

        /// Writes every packet in the clear to this file, for Wireshark. `nil` writes none.
        public var dumpPath: String?

        /// Appends to this file what was sent, acknowledged, estimated and decided, ten times a second, in numbers alone
        /// (docs/trace.md). It takes 16 MiB on the disk at most, half of them as `PATH.1`. `nil` writes none.
        public var tracePath: String?

        /// Where warnings and notes go. Keys and credentials are never logged.
        public var logger = Logger(label: "duet.rtc")

        /// Who is asked for the addresses of servers.
        var nameSource: any NameSource = SystemNameSource()

        public init() {}

        /// Bytes that all channels together may hold. No channel comes near it alone.
        var totalSendLimit: Int {
            let (product, isTooLarge) = sendBufferLimit.multipliedReportingOverflow(by: 16)
            return isTooLarge ? .max : max(product, 16 << 20)
        }

        /// - Throws: ``RTCError`` `invalidArgument`, which names what cannot be used.
        func validate() throws(RTCError) {
            let sizes = [
                ("maximumMessageSize", maximumMessageSize), ("sendBufferLimit", sendBufferLimit),
                ("receiveBufferLimit", receiveBufferLimit),
            ]
            for (name, size) in sizes where !(1...1 << 30).contains(size) {
                throw RTCError(
                    code: .invalidArgument,
                    message: "\(name) is \(size): it is a number of bytes, from 1 to 1,073,741,824")
            }
            if network.portRange?.lowerBound == 0 {
                throw RTCError(
                    code: .invalidArgument,
                    message: "the port range begins with 0, which is no port: begin with 1 or more, or leave it out")
            }
        }
    }

    /// A STUN or TURN server.
    public struct ICEServer: Sendable, Hashable {
        /// See ``ICEServerURL`` for what it may be.
        public var url: String
        /// For TURN, which does not relay without one; STUN has none.
        public var username: String?
        /// The password that belongs to ``username``. It is never logged.
        public var credential: String?

        public init(url: String, username: String? = nil, credential: String? = nil) {
            self.url = url
            self.username = username
            self.credential = credential
        }
    }

    /// Which sockets a connection opens.
    public struct NetworkPolicy: Sendable {
        /// Bind to this address alone. `nil` uses every interface.
        public var bindAddress: IPAddress?
        /// Use local ports from this range only. `nil` leaves the choice to the system.
        public var portRange: ClosedRange<UInt16>?
        /// Whether to use an interface, by its name.
        public var allowsInterface: (@Sendable (_ name: String) -> Bool)?
        /// Whether to use a local address.
        public var allowsAddress: (@Sendable (IPAddress) -> Bool)?
        /// Whether to offer loopback addresses though there are others.
        public var includesLoopback = false
        /// A UDP port that this connection shares with others, for servers. The rules above say nothing to UDP then. `nil`
        /// opens sockets for this connection alone.
        public var udpMux: UDPMux?
        /// What is done where UDP finds no way (RFC 6544).
        public var tcp = TCPPolicy.connect

        public init() {}
    }

    /// Candidates over TCP, which come after all of UDP but relays.
    public enum TCPPolicy: Sendable, Hashable {
        case none
        /// Connect to peers that listen. Costs nothing until it is needed.
        case connect
        /// Also listen, with a socket for each address: for whoever can be reached from outside, as servers can.
        case connectAndListen
    }
}

extension PeerConnection.ICEServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address: a credential is nothing for a log.
    public var description: String { url }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
