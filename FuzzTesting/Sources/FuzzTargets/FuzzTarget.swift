import RTCWire

/// What can be fuzzed, by the name that `make fuzz` and the folders of the corpus and the crash cases use.
///
/// Every target takes any bytes at all, works without clock and without randomness of its own, and does the same for
/// the same bytes: so a crash can be repeated from the bytes alone.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// One datagram for the STUN parser, every attribute read.
    case stun
    /// A TURN client, and a server that says anything.
    case turn
    /// A byte stream that is cut anywhere, and the messages in it.
    case stream
    /// One candidate line.
    case candidate
    /// One session description: parsed, written, parsed again.
    case sdp
    /// What anybody on the network says to questions for names of candidates.
    case multicastDNS = "multicast-dns"
    /// Packets for two SRTP sessions with one handshake's keys.
    case srtp
    /// RTP packets for an incoming stream, and what their header extensions say.
    case rtp
    /// RTCP packets for streams, transport-wide feedback and the bandwidth estimate.
    case rtcp
    /// Packets that are sent, and feedback of a stranger's making about them.
    case congestion
    /// Packets for an SCTP association with data channels, their tag and checksum made valid.
    case sctp
    /// Payloads of video for a depacketizer and the jitter buffer behind it, redundant audio, and what descriptions say of formats.
    case depacketizer
    /// Packets of a protected video stream, and the error correction that recovers those that were lost.
    case errorCorrection = "error-correction"
    /// Frames of video and packets of sound for the decoders of this machine.
    case decoder
    /// Datagrams, descriptions, candidates and wishes for a peer that has no connection yet.
    case setUp = "set-up"
    /// Datagrams for two peers that are connected and send to each other.
    case connected
    /// A message of the signalling protocol, from a client and from a server.
    case signalingMessage = "signaling-message"
    /// Bytes for three sockets of a signalling server.
    case signalingSocket = "signaling-socket"
    /// What a proxy says of a client: a header of the PROXY protocol, fields of a request.
    case proxy
    /// What a NATS server says to a client, cut anywhere.
    case nats
    /// What a client registers for pushes, and what the services of pushes answer: over HTTP/1, and over HTTP/2.
    case push
    /// What somebody has written where several signalling servers share their state: entries of a log, a snapshot.
    case nodes
    /// What two kits say to each other: a signal, a candidate, a step of a verification.
    case kitMessage = "kit-message"
    /// What a server and a kit say, for the connection between them.
    case kitServer = "kit-server"
    /// The address that a login's browser was sent to.
    case redirect
    /// What an authorization server says of itself: metadata, keys, tokens.
    case discovery
    /// What a page posts to have native calls made.
    case webCallRequest = "web-call-request"
    /// A trace that somebody sent in, and the schedule that is made of it.
    case callTrace = "call-trace"

    /// Runs the target on these bytes. Traps when it finds a mistake.
    public func run(_ bytes: [UInt8]) {
        switch self {
        case .stun: fuzzSTUN(bytes)
        case .turn: fuzzTURN(bytes)
        case .stream: fuzzStream(bytes)
        case .candidate: fuzzCandidate(bytes)
        case .sdp: fuzzSDP(bytes)
        case .multicastDNS: fuzzMulticastDNS(bytes)
        case .srtp: fuzzSRTP(bytes)
        case .rtp: fuzzRTP(bytes)
        case .rtcp: fuzzRTCP(bytes)
        case .congestion: fuzzCongestion(bytes)
        case .sctp: fuzzSCTP(bytes)
        case .depacketizer: fuzzDepacketizer(bytes)
        case .errorCorrection: fuzzErrorCorrection(bytes)
        case .decoder: fuzzDecoder(bytes)
        case .setUp: fuzzSetUp(bytes)
        case .connected: fuzzConnected(bytes)
        case .signalingMessage: fuzzSignalingMessage(bytes)
        case .signalingSocket: fuzzSignalingSocket(bytes)
        case .proxy: fuzzProxy(bytes)
        case .nats: fuzzNATS(bytes)
        case .push: fuzzPush(bytes)
        case .nodes: fuzzNodes(bytes)
        case .kitMessage: fuzzKitMessage(bytes)
        case .kitServer: fuzzKitServer(bytes)
        case .redirect: fuzzRedirect(bytes)
        case .discovery: fuzzDiscovery(bytes)
        case .webCallRequest: fuzzWebCallRequest(bytes)
        case .callTrace: fuzzCallTrace(bytes)
        }
    }
}
