public import Logging
public import RTCCrypto
internal import RTCNetwork
public import RTCPeer
public import RTCTransport
public import RTCWire

extension PeerConnection {
    /// The configuration of a connection. The defaults connect two peers on one network.
    public struct Configuration: Sendable {
        /// STUN servers (RFC 7064), from which a peer behind a NAT learns its public address, and TURN servers (RFC
        /// 7065), which relay where there is no direct path. Without servers, only peers on the same network and peers
        /// with public addresses can connect.
        public var iceServers: [ICEServer] = []

        /// Which local candidates are used: all, or only relayed ones, so that the peer does not learn an address of
        /// this machine.
        public var iceTransportPolicy: ICECandidatePolicy = .all

        /// The certificate authorities to trust for `turns:` servers.
        public var serverTrust = ServerTrust.system

        /// Whether offers and answers are exchanged automatically. See ``PeerConnection/signals``.
        ///
        /// With `.perfect`, exactly one of the two peers has to be polite; it does not matter which. Usually the caller
        /// is the impolite one.
        public var negotiation: NegotiationMode = .perfect(isPolite: true)

        /// Whether this peer makes no offer before it has received one. The callee can then add tracks and data
        /// channels at once, and its answer contains them. Applies to `.perfect` negotiation only.
        public var waitsForOffer = false

        /// The local certificate. `nil` generates one for this connection, as browsers do.
        public var certificate: Certificate?

        /// The DTLS versions to negotiate.
        public var dtlsVersions: ClosedRange<DTLSVersion> = .v12 ... .v13

        /// The addresses, interfaces and ports that sockets use.
        public var network = NetworkPolicy()

        /// The configuration of audio and video.
        public var media = MediaConfiguration()

        /// The maximum size of a received message in bytes, which the peer learns (RFC 8841).
        public var maximumMessageSize = 262_144

        /// The number of unsent bytes of a data channel from which ``DataChannel/send(_:)-(String)`` waits. All
        /// channels together buffer up to sixteen times as much, and at least 16 MiB, unacknowledged bytes included.
        public var sendBufferLimit = 1_048_576

        /// The maximum number of received bytes, over all data channels, that wait to be read before the peer has to
        /// pause. It pauses at 1 MiB already unless the application reads more than that per round trip.
        public var receiveBufferLimit = 16_777_216

        /// The file to which every packet is written unencrypted, for Wireshark; `nil` for none.
        public var dumpPath: String?

        /// The file to which statistics of sending (packets sent and acknowledged, bandwidth estimates, decisions) are
        /// appended ten times per second: see docs/trace.md. At most 16 MiB, half of them in `PATH.1`. `nil` for none.
        public var tracePath: String?

        /// The logger for warnings and notes. Keys and credentials are never logged.
        public var logger = Logger(label: "duet.rtc")

        /// The resolver for the addresses of servers.
        var nameSource: any NameSource = SystemNameSource()

        public init() {}

        /// The most bytes that all channels together may buffer, far more than one channel may.
        var totalSendLimit: Int {
            let (product, isTooLarge) = sendBufferLimit.multipliedReportingOverflow(by: 16)
            return isTooLarge ? .max : max(product, 16 << 20)
        }

        /// - Throws: ``RTCError`` `invalidArgument` for an unusable value.
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
        /// The URL, in the syntax of ``ICEServerURL``.
        public var url: String
        /// The username, required for TURN and not used for STUN.
        public var username: String?
        /// The password, required for TURN. It is never logged.
        public var credential: String?

        public init(url: String, username: String? = nil, credential: String? = nil) {
            self.url = url
            self.username = username
            self.credential = credential
        }
    }

    /// The addresses, interfaces and ports that sockets use.
    public struct NetworkPolicy: Sendable {
        /// The only local address to use. `nil` for all interfaces.
        public var bindAddress: IPAddress?
        /// The range of local ports. `nil` lets the system choose.
        public var portRange: ClosedRange<UInt16>?
        /// Returns whether to use a network interface, by its name.
        public var allowsInterface: (@Sendable (_ name: String) -> Bool)?
        /// Returns whether to use a local address.
        public var allowsAddress: (@Sendable (IPAddress) -> Bool)?
        /// Whether loopback addresses are used in addition to others.
        public var includesLoopback = false
        /// A UDP port that is shared with other connections, for servers. The rules above do not apply to UDP then.
        /// `nil` opens sockets for this connection alone.
        public var udpMux: UDPMux?
        /// The use of TCP candidates, for networks that block UDP (RFC 6544).
        public var tcp = TCPPolicy.connect

        public init() {}
    }

    /// The use of TCP candidates. They have a lower priority than UDP candidates, relayed ones excepted.
    public enum TCPPolicy: Sendable, Hashable {
        case none
        /// Connect to peers that listen.
        case connect
        /// Connect, and also listen on each local address: for machines that can be reached from outside, such as
        /// servers.
        case connectAndListen
    }
}

extension PeerConnection.ICEServer: Confidential {
    /// The URL, without the credential, so that it can be logged.
    public var description: String { url }
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
