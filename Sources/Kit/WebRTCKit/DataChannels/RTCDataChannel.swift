internal import RTC
internal import Synchronization

/// The state of a data channel.
public enum RTCDataChannelState: String, Sendable, Hashable, CaseIterable {
    case connecting, open, closing, closed
}

/// A data channel, with the interface of the WebRTC framework.
public final class RTCDataChannel: Sendable {
    /// The label, which need not be unique.
    public let label: String
    private let options: DataChannelOptions
    /// The engine's channel, which retains the whole connection; `nil` once it is closed and empty.
    private let channel: Mutex<DataChannel?>
    private let lastID: Mutex<UInt16?>
    private let delivery: DataChannelDelivery
    private let outbox: DataChannelOutbox
    private let reading: Task<Void, Never>

    /// - Parameter isOurs: Whether the channel was opened here. A channel of the peer is open.
    init(_ channel: DataChannel, isOurs: Bool) {
        label = channel.label
        options = channel.options
        self.channel = Mutex(channel)
        lastID = Mutex(channel.id)
        let delivery = DataChannelDelivery(known: isOurs ? .connecting : .open)
        self.delivery = delivery
        outbox = DataChannelOutbox { [weak delivery] in delivery?.noteBufferedAmount() }
        reading = Task { await delivery.readMessages(from: channel) }
        delivery.adopt(self)
    }

    deinit {
        reading.cancel()
        delivery.abandon()
    }

    // MARK: Properties

    /// The state of the channel. If it has a delegate, the state that the delegate was told last.
    public var readyState: RTCDataChannelState {
        delivery.told(of: channel.withLock { $0.map { .init($0.state) } ?? .closed })
    }

    /// The SCTP stream identifier; -1 before it is assigned.
    public var channelId: Int32 {
        let id = channel.withLock { $0?.id } ?? lastID.withLock { $0 }
        return id.map { Int32($0) } ?? -1
    }

    /// Whether messages are delivered in the order in which they were sent.
    public var isOrdered: Bool { options.isOrdered }
    /// The maximum number of retransmissions of a message; `nil` for no limit.
    public var maxRetransmits: UInt16? { options.maxRetransmits }
    /// The maximum time in milliseconds during which a message is retransmitted; `nil` for no limit.
    public var maxPacketLifeTime: UInt16? {
        options.maxPacketLifeTime.map { UInt16(clamping: Int64($0 / .milliseconds(1))) }
    }
    /// Whether both peers created the channel with the same identifier, without an announcement (`negotiated`).
    public var isNegotiated: Bool { options.negotiatedID != nil }
    /// The name of the subprotocol; may be empty.
    public var `protocol`: String { options.protocol }

    // MARK: Sending

    /// The number of bytes that wait to be passed to the connection, which buffers up to one megabyte more.
    public var bufferedAmount: UInt64 { UInt64(outbox.byteCount) }

    /// Queues a message to be sent.
    ///
    /// - Returns: `false` if the channel is not open, or ``bufferedAmount`` would exceed 16 MiB.
    public func sendData(_ buffer: RTCDataBuffer) -> Bool {
        guard let channel = channel.withLock({ $0 }), channel.state == .open else { return false }
        return outbox.put(buffer, for: channel)
    }

    /// Sends a message after the queued ones, and waits until the connection has accepted it.
    ///
    /// - Returns: Whether it was accepted.
    func send(_ buffer: RTCDataBuffer) async -> Bool {
        guard let channel = channel.withLock({ $0 }) else { return false }
        return await outbox.send(buffer, on: channel)
    }

    // MARK: Receiving

    /// Sets the delegate that receives states and messages; `nil` for none.
    func setDelegate(_ delegate: (any RTCDataChannelDelegate)?) {
        delivery.setDelegate(delegate)
    }

    // MARK: Closing

    /// Closes the channel. Messages that were queued before are still delivered.
    public func close() {
        guard let channel = channel.withLock({ $0 }) else { return }
        Task {
            await outbox.waitUntilEmpty()
            await channel.close()
        }
    }

    /// Releases the engine's channel, which is closed and empty.
    func release() {
        let channel = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        if let id = channel?.id { lastID.withLock { $0 = id } }
    }
}

extension RTCDataChannelState {
    init(_ state: DataChannel.State) {
        switch state {
        case .connecting: self = .connecting
        case .open: self = .open
        case .closing: self = .closing
        case .closed: self = .closed
        }
    }
}
