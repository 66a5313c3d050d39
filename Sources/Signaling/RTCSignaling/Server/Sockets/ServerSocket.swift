internal import NIOCore
internal import NIOWebSocket

/// One connection of a client, from the moment that it is accepted.
final class ServerSocket {
    enum State {
        /// An HTTP request is awaited or answered.
        case http
        /// A WebSocket without a `hello`.
        case opened
        /// Its `hello` is being looked at.
        case authenticating
        case signedIn
        /// A close frame was sent; what comes is thrown away.
        case closing
    }

    let id: ConnectionID
    let channel: any Channel
    let address: AddressTable.Entry?
    /// Where it comes from; `nil` for this machine.
    let network: AddressTable.Key?
    var state = State.http
    /// By when it has to have signed in, or to be gone; looked at now and then.
    var deadline: Duration?
    var lastHeard: Duration
    var isPinged = false
    /// Where what was read waits for its turn.
    var inbound: InboundQueue?
    /// The same, as long as a TLS handshake lasts.
    var handshake: HandshakeQueue?
    var isInLine = false
    let line: Turns.Line
    /// What it has had in its line: see ``FairQueue``.
    var share: Double?
    /// Since when it sends more than it may; looked at now and then.
    var excessSince: Duration?
    /// What waits for the client to take it, or is an incomplete message of its, in bytes, when it was looked at last.
    var heldBytes = 0
    /// The fragments of a message, in bytes.
    var fragmentBytes = 0
    /// What it sent since it was last charged for what came of it, in bytes.
    var unchargedBytes = 0
    var hasUnflushed = false
    var messages: TokenBucket
    var bytes: TokenBucket
    /// Who signed in.
    var user: UserID?
    /// Whether that was proved.
    var isProven = false
    /// When that proof ends, on the loop's clock; looked at now and then.
    var proofEnd: Duration?
    /// Until when the proof is believed because another token is being looked at.
    var renewalEnd: Duration?
    /// The newest token that came since.
    var nextRenewal: Renewal?
    /// When credentials for relays end at the latest, in seconds since 1970.
    var credentialEnd: Int64?
    /// The greatest number that the client acknowledged here.
    var acknowledged: UInt64 = 0

    init(
        _ id: ConnectionID, _ channel: any Channel, _ network: AddressTable.Key?,
        _ address: AddressTable.Entry?, _ line: Turns.Line, _ limits: ServerLimits, at now: Duration
    ) {
        self.id = id
        self.channel = channel
        self.network = network
        self.address = address
        self.line = line
        lastHeard = now
        deadline = now + limits.signInTimeout
        messages = TokenBucket(limits.messagesPerSocket, at: now)
        bytes = TokenBucket(limits.bytesPerSocket, at: now)
    }

    /// Whether something waits for its turn.
    var isReady: Bool { handshake?.isReady ?? inbound?.isReady ?? false }

    /// What its next message may cost.
    var expectedCost: Double { handshake == nil ? inbound?.expectedCost ?? 1 : 1 }

    func write(_ json: [UInt8]) {
        write(channel.allocator.buffer(bytes: json))
    }

    /// - Parameter json: Others may have the same.
    func write(_ json: ByteBuffer) {
        guard state != .closing else { return }
        write(.text, json)
    }

    func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        channel.write(WebSocketFrame(fin: true, opcode: opcode, data: data), promise: nil)
        hasUnflushed = true
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        channel.flush()
    }

    /// Says goodbye, and goes when the client has said so too or the time is over.
    ///
    /// Closing at once would make the system throw away what the client has not read yet, the reason among it.
    func close(_ code: UInt16, _ reason: String, by deadline: Duration) {
        guard state != .closing else { return }
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
