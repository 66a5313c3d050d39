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
/// Received messages are buffered until they are read. When ``PeerConnection/Configuration/receiveBufferLimit`` bytes
/// are buffered, the peer has to pause, so read them.
///
/// A channel stays open while there is a reference to it. When the last reference is released, the channel closes as by
/// ``close()``: messages that were sent are still delivered, and the peer sees the channel close. A `for await` loop
/// over ``messages``, ``stateChanges`` or ``bufferedAmountLowEvents`` holds a reference, and so does an unread event of
/// ``PeerConnection/events``. Keep a channel that is to stay open, and leave its loops when it is not needed any more.
public final class DataChannel: Sendable {
    /// A text or binary message; either may be empty.
    public enum Message: Sendable, Hashable {
        case text(String)
        case binary([UInt8])
    }

    public enum State: String, Sendable, Hashable {
        case connecting, open, closing, closed
    }

    /// The label, which need not be unique.
    public let label: String
    public let options: DataChannelOptions

    private let connectionReference: Mutex<ConnectionReference>
    let key: Peer.ChannelID
    let shared: Shared

    /// The state that the engine updates and any thread may read.
    final class Shared: Sendable {
        let state = Mutex(State.connecting)
        let streamID = Mutex<UInt16?>(nil)
        // There are four states at most, in sequence.
        let stateChanges = Broadcast<State>(.bufferingNewest(4))
        let lowEvents = Broadcast<Void>(.bufferingNewest(1))
        /// Messages that a sequence has fetched but not returned; the next reader starts with them.
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

    /// The channel's reference to its connection: strong once the application has the channel, and weak before, so that
    /// an unread event does not keep the connection alive.
    private struct ConnectionReference {
        weak var connection: PeerConnection?
        var kept: PeerConnection?

        init(_ connection: PeerConnection) {
            self.connection = connection
        }
    }

    /// `nil` if the connection was released before the application took this channel, which is then closed.
    private var connection: PeerConnection? { connectionReference.withLock { $0.connection } }

    /// Makes the reference to the connection strong, because the application has the channel now.
    func keepConnection() {
        connectionReference.withLock { $0.kept = $0.connection }
    }

    private func requireConnection() throws(RTCError) -> PeerConnection {
        guard let connection else { throw RTCError.channelClosed(label) }
        return connection
    }

    /// The SCTP stream identifier; `nil` before it is assigned.
    public var id: UInt16? { shared.streamID.withLock { $0 } }

    public var state: State { shared.state.withLock { $0 } }

    /// The states from now on, up to `.closed`, after which the sequence ends.
    package var stateChanges: AsyncStream<State> { keeping(self, shared.stateChanges.subscribe()) }

    /// Waits until the channel is open.
    ///
    /// - Throws: ``RTCError`` `channelClosed` if the channel closes first; `connectionFailed`, `network` or
    ///   `internalError` if the connection fails first; or `CancellationError`.
    public func waitUntilOpen() async throws {
        try await requireConnection().waitUntilOpen(key)
        try Task.checkCancellation()
        if state != .open { throw RTCError.channelClosed(label) }
    }

    // MARK: Sending

    /// Sends a text message.
    ///
    /// Suspends until the channel is open, while ``PeerConnection/Configuration/sendBufferLimit`` bytes of this channel
    /// wait to be sent, and while all channels together have reached the connection's limit. A queued message is sent
    /// even if the task is cancelled later.
    ///
    /// - Throws: ``RTCError`` `channelClosed`, `messageTooLarge`; `connectionFailed`, `network` or `internalError` while the
    ///   connection is `failed`; or `CancellationError`.
    public func send(_ text: String) async throws {
        try await requireConnection().send([.text(text)], on: key)
    }

    /// Sends a binary message, like ``send(_:)-(String)``.
    public func send(_ bytes: [UInt8]) async throws {
        try await requireConnection().send([.binary(bytes)], on: key)
    }

    /// Sends several messages in order, like ``send(_:)-(String)``. This is faster than sending many small messages one by one.
    ///
    /// If it throws, the first of the messages may have been queued, and are sent then.
    public func send(contentsOf messages: [Message]) async throws {
        try await requireConnection().send(messages, on: key)
    }

    /// The number of queued bytes that were not sent yet.
    public var bufferedAmount: Int {
        get async { await connection?.bufferedAmount(of: key) ?? 0 }
    }

    /// Sets the threshold of ``bufferedAmountLowEvents`` in bytes.
    public func setBufferedAmountLowThreshold(_ byteCount: Int) async {
        await connection?.setBufferedAmountLowThreshold(byteCount, of: key)
    }

    /// An element for each time that ``bufferedAmount`` falls to the threshold or below. Elements that nobody reads are
    /// combined into one.
    public var bufferedAmountLowEvents: AsyncStream<Void> { keeping(self, shared.lowEvents.subscribe()) }

    // MARK: Receiving

    /// The received messages in order. The sequence ends when the channel is closed and all messages were read, or when the reader's
    /// task is cancelled. Another sequence then continues with the next message.
    ///
    /// If there are several readers, each message goes to one of them.
    public var messages: Messages { Messages(channel: self) }

    /// Returns the next messages: at least one and at most `maximum`, or none when the channel is closed and all
    /// messages were read, or the task is cancelled.
    ///
    /// This is faster than reading many small messages one by one.
    public func receive(upTo maximum: Int = 256) async -> [Message] {
        let fetched = shared.surplus.withLock { surplus in
            var messages: [Message] = []
            while messages.count < maximum, let message = surplus.popFirst() { messages.append(message) }
            return messages
        }
        if !fetched.isEmpty { return fetched }
        return await connection?.receiveMessages(on: key, upTo: max(1, maximum)) ?? []
    }

    /// The received messages, one at a time. See ``DataChannel/messages``.
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

    /// Closes the channel. Messages that were sent before are still delivered. The channel is `closed` when the peer
    /// has closed its side too.
    public func close() async {
        await connection?.closeChannel(key)
    }
}

extension RTCError {
    static func channelClosed(_ label: String) -> RTCError {
        RTCError(code: .channelClosed, message: "the data channel “\(label)” is closed: open a new one")
    }
}
