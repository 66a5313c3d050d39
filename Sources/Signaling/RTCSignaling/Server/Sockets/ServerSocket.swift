internal import NIOCore
internal import NIOWebSocket
internal import RTCWire
internal import Tracing

/// One connection of a client, from its acceptance.
final class ServerSocket {
    enum State {
        /// An HTTP request is awaited or answered.
        case http
        /// The upgrade to a WebSocket was accepted: what follows the request are frames, which wait until it is complete.
        case upgrading
        /// A WebSocket before its `hello`.
        case opened
        /// Its `hello` is being verified.
        case authenticating
        case signedIn
        /// A close frame was sent; input is discarded.
        case closing
    }

    let id: ConnectionID
    let channel: any Channel
    private(set) var address: AddressTable.Entry?
    /// The client's network; `nil` for this machine, and for a trusted proxy until it has reported its client's address.
    private(set) var network: AddressTable.Key?
    /// The address at the other end of the connection.
    let peer: IPAddress?
    /// The client of the trusted proxy in front, by the PROXY protocol, or else ``peer``.
    var hop: IPAddress?
    /// The address of the client: of the other end, or as a trusted proxy reports it.
    var client: IPAddress?
    /// Whether it is a trusted proxy at the other end, whose requests report their client's address.
    var forwardsRequests = false
    var state = State.http
    /// Whether frames may be written. Before, what encodes HTTP would receive them, and trap.
    private(set) var isWebSocket = false
    /// The bytes of a request that is not complete yet, of its head and its body.
    var requestBytes = 0
    /// The time limit for signing in, or for closing; checked in each sweep.
    var deadline: Duration?
    var lastReceived: Duration
    var isPinged = false
    /// Holds input until it is its turn.
    var inbound: InboundQueue?
    /// The same during the TLS handshake.
    var handshake: (any HandshakeTurn)?
    var isQueued = false
    private(set) var networkQueue: InputScheduler.NetworkQueue
    /// Its used share: see ``FairQueue``.
    var share: Double?
    /// Since when it exceeds its rate; checked in each sweep.
    var excessSince: Duration?
    /// The unsent output and incomplete input, in bytes, when last measured.
    var heldBytes = 0
    /// The fragments of a message, in bytes.
    var fragmentBytes = 0
    /// The bytes received since it was last charged for output.
    var unchargedBytes = 0
    var hasUnflushed = false
    var messages: TokenBucket
    var bytes: TokenBucket
    /// The signed-in user.
    var user: UserID?
    /// Whether the user was authenticated.
    var isProven = false
    /// Its credential; checked in each sweep.
    var credential = SocketCredential()
    /// When it has signed in, on the loop's clock.
    var signedInAt: Duration?
    /// Whether it has answered a request.
    var hasAnswered = false
    /// The span of its session; `nil` without a tracer.
    var span: (any Span)?
    /// The reason with which it was closed, for the access log.
    private(set) var closeReason: String?
    /// The highest number that the client has acknowledged here.
    var acknowledged: UInt64 = 0

    init(
        _ id: ConnectionID, _ channel: any Channel, _ peer: IPAddress?, _ network: AddressTable.Key?,
        _ address: AddressTable.Entry?, _ networkQueue: InputScheduler.NetworkQueue, _ limits: ServerLimits,
        at now: Duration
    ) {
        self.id = id
        self.channel = channel
        self.peer = peer
        hop = peer
        client = peer
        self.network = network
        self.address = address
        self.networkQueue = networkQueue
        lastReceived = now
        deadline = now + limits.signInTimeout
        messages = TokenBucket(limits.messagesPerSocket, at: now)
        bytes = TokenBucket(limits.bytesPerSocket, at: now)
    }

    /// Counts the connection to another network from now on.
    func move(
        to network: AddressTable.Key, _ address: AddressTable.Entry?, _ networkQueue: InputScheduler.NetworkQueue?
    ) {
        self.network = network
        self.address = address
        guard let networkQueue, networkQueue !== self.networkQueue else { return }
        self.networkQueue = networkQueue
        // The share was one of the other line.
        share = nil
    }

    /// Whether there is no request to be read or answered.
    var isIdle: Bool { requestBytes == 0 && unsentBytes == 0 && (inbound?.waitingBytes ?? 0) == 0 }

    private var unsentBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// The memory that it holds now, in bytes: its unsent output, and input that is incomplete or waits.
    var measuredBytes: Int {
        let unheard = (inbound?.heldBytes ?? 0) + (handshake?.heldBytes ?? 0)
        return unsentBytes + unheard + requestBytes + fragmentBytes + credential.heldBytes
    }

    /// Whether there is input that waits for its turn.
    var isReady: Bool { handshake?.isReady ?? inbound?.isReady ?? false }

    /// The estimated cost of its next message.
    var expectedCost: Double { handshake == nil ? inbound?.expectedCost ?? 1 : 1 }

    func write(_ json: [UInt8]) {
        write(channel.allocator.buffer(bytes: json))
    }

    /// - Parameter json: May be shared with other sockets.
    func write(_ json: ByteBuffer) {
        guard state != .closing else { return }
        write(.text, json)
    }

    /// Writes a frame; a socket that is no WebSocket is dropped instead.
    ///
    /// This is the only place that writes frames.
    func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        guard isWebSocket else { return drop() }
        channel.write(WebSocketFrame(fin: true, opcode: opcode, data: data), promise: nil)
        hasUnflushed = true
    }

    /// Called when the upgrade is complete.
    func open(until deadline: Duration) {
        (state, isWebSocket) = (.opened, true)
        self.deadline = deadline
        inbound?.resume()
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        channel.flush()
    }

    /// Sends a close frame, and closes when the client has answered it or the time is over.
    ///
    /// Closing at once would discard what the client has not read yet, including the reason.
    func close(_ code: UInt16, _ reason: String, by deadline: Duration) {
        guard state != .closing else { return }
        if closeReason == nil { closeReason = reason.isEmpty ? "\(code)" : reason }
        guard isWebSocket else { return drop() }
        var data = channel.allocator.buffer(capacity: 2 + reason.utf8.count)
        data.writeInteger(code)
        data.writeString(reason)
        write(.connectionClose, data)
        flush()
        state = .closing
        self.deadline = deadline
    }

    func drop() {
        channel.close(mode: .all, promise: nil)
    }
}
