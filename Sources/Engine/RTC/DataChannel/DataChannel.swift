internal import RTCPeer
internal import RTCTransport
internal import RTCWire
internal import Synchronization

/// A channel for messages between two peers (W3C RTCDataChannel, RFC 8831).
///
/// ```swift
/// let channel = try await connection.createDataChannel("chat")
/// try await channel.send("hello")
/// for await message in channel.messages { print(message) }
/// ```
///
/// Received messages wait until they are taken. Once as many bytes wait as
/// ``PeerConnection/Configuration/receiveBufferLimit`` grants, the other peer has to pause: so take them.
///
/// A channel is open for as long as somebody has it. Once the last reference is gone nobody can read it or send on it any
/// more, so it is closed, as by ``close()``: what was sent still arrives, and the other peer sees it closing. A `for await`
/// over ``messages``, ``stateChanges`` or ``bufferedAmountLowEvents`` is such a reference, and so is an event of
/// ``PeerConnection/events`` that waits to be taken. So keep a channel that is to stay open, and leave its loops when it
/// need not.
public final class DataChannel: Sendable {
    /// A text or a run of bytes; either may be empty.
    public enum Message: Sendable, Hashable {
        case text(String)
        case binary([UInt8])
    }

    public enum State: String, Sendable, Hashable {
        case connecting, open, closing, closed
    }

    /// A name, which need not be unique.
    public let label: String
    public let options: DataChannelOptions

    private let connectionReference: Mutex<ConnectionReference>
    let key: Peer.ChannelID
    let shared: Shared

    /// What the engine updates and any thread may read.
    final class Shared: Sendable {
        let state = Mutex(State.connecting)
        let streamID = Mutex<UInt16?>(nil)
        // There are no more than four states, one after the other.
        let stateChanges = Broadcast<State>(.bufferingNewest(4))
        let lowEvents = Broadcast<Void>(.bufferingNewest(1))
        /// Messages that a sequence has fetched and not handed out; the next reader begins with them.
        let surplus = Mutex(RingBuffer<Message>())
    }

    init(
        label: String, options: DataChannelOptions, connection: PeerConnection,
        key: Peer.ChannelID, shared: Shared
    ) {
        self.label = label
        self.options = options
        connectionReference = Mutex(ConnectionReference(connection))
        self.key = key
        self.shared = shared
    }

    deinit {
        connection?.abandonChannel(key)
    }

    /// What a channel has of its connection. One that the application holds keeps the connection; one that waits to be
    /// taken does not, or an unread event would keep everything.
    private struct ConnectionReference {
        weak var connection: PeerConnection?
        var kept: PeerConnection?

        init(_ connection: PeerConnection) {
            self.connection = connection
        }
    }

    /// `nil` once the connection was let go of before anybody took this channel: it is closed then.
    private var connection: PeerConnection? { connectionReference.withLock { $0.connection } }

    /// The application has the channel from now on.
    func keepConnection() {
        connectionReference.withLock { $0.kept = $0.connection }
    }

    private func requireConnection() throws(RTCError) -> PeerConnection {
        guard let connection else { throw RTCError.channelClosed(label) }
        return connection
    }

    /// The SCTP stream, once it is assigned.
    public var id: UInt16? { shared.streamID.withLock { $0 } }

    public var state: State { shared.state.withLock { $0 } }

    /// The states from now on, up to `.closed`, after which the sequence ends.
    public var stateChanges: AsyncStream<State> { keeping(self, shared.stateChanges.subscribe()) }

    /// Waits until messages can be sent.
    ///
    /// - Throws: ``RTCError`` `channelClosed` when the channel closes first, `connectionFailed` or `network` when the
    ///   connection fails first, or `CancellationError`.
    public func waitUntilOpen() async throws {
        try await requireConnection().waitUntilOpen(key)
        try Task.checkCancellation()
        if state != .open { throw RTCError.channelClosed(label) }
    }

    // MARK: Sending

    /// Sends a text.
    ///
    /// Suspends until the channel is open, while ``PeerConnection/Configuration/sendBufferLimit`` bytes are waiting to be
    /// sent, and while all channels together hold as much as the connection takes. A message that was queued arrives even
    /// if the task is cancelled later.
    ///
    /// - Throws: ``RTCError`` `channelClosed`, `messageTooLarge`; `connectionFailed` or `network` while the connection is
    ///   `failed`; or `CancellationError`.
    public func send(_ text: String) async throws {
        try await requireConnection().send([.text(text)], on: key)
    }

    /// Sends bytes. As ``send(_:)-(String)``.
    public func send(_ bytes: [UInt8]) async throws {
        try await requireConnection().send([.binary(bytes)], on: key)
    }

    /// Sends several messages, in order, with one visit to the engine: the way to send many small ones fast.
    public func send(contentsOf messages: [Message]) async throws {
        try await requireConnection().send(messages, on: key)
    }

    /// Bytes that were queued and not yet handed to the network.
    public var bufferedAmount: Int {
        get async { await connection?.bufferedAmount(of: key) ?? 0 }
    }

    /// From now on ``bufferedAmountLowEvents`` speaks when the buffered amount falls to `byteCount` bytes or fewer.
    public func setBufferedAmountLowThreshold(_ byteCount: Int) async {
        await connection?.setBufferedAmountLowThreshold(byteCount, of: key)
    }

    /// One element for each time that the buffered amount falls to the threshold, or for several while nobody reads.
    public var bufferedAmountLowEvents: AsyncStream<Void> { keeping(self, shared.lowEvents.subscribe()) }

    // MARK: Receiving

    /// All messages, in the order in which they arrive; it ends when the channel is closed and empty.
    ///
    /// Several readers share the messages: each goes to one of them.
    public var messages: Messages { Messages(channel: self) }

    /// The next messages: at least one, at most `maximum`, or none when the channel is closed and empty.
    ///
    /// One visit to the engine takes what is there, which is what makes many small messages fast.
    public func receive(upTo maximum: Int = 256) async -> [Message] {
        let fetched = shared.surplus.withLock { surplus in
            var messages: [Message] = []
            while messages.count < maximum, let message = surplus.popFirst() { messages.append(message) }
            return messages
        }
        if !fetched.isEmpty { return fetched }
        return await connection?.receiveMessages(on: key, upTo: max(1, maximum)) ?? []
    }

    /// Messages, one at a time. See ``DataChannel/messages``.
    public struct Messages: AsyncSequence, Sendable {
        let channel: DataChannel

        public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

        public struct Iterator: AsyncIteratorProtocol {
            let channel: DataChannel

            public mutating func next() async -> Message? {
                if let message = channel.shared.surplus.withLock({ $0.popFirst() }) { return message }
                let batch = await channel.receive()
                guard let first = batch.first else { return nil }
                channel.shared.surplus.withLock { surplus in
                    for message in batch.dropFirst() { surplus.append(message) }
                }
                return first
            }
        }
    }

    // MARK: Closing

    /// Closes the channel. What was sent before still arrives; the channel is `closed` when the other side has let go too.
    public func close() async {
        await connection?.closeChannel(key)
    }
}

extension RTCError {
    static func channelClosed(_ label: String) -> RTCError {
        RTCError(code: .channelClosed, message: "the data channel “\(label)” is closed: open a new one")
    }
}
