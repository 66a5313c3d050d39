internal import RTC
internal import Synchronization

/// Where a data channel stands.
public enum RTCDataChannelState: String, Sendable, Hashable, CaseIterable {
    case connecting, open, closing, closed
}

/// A data channel, as its delegate sees it.
public final class RTCDataChannel: Sendable {
    /// A name, which need not be unique.
    public let label: String
    private let options: DataChannelOptions
    /// The engine's channel, which would keep the whole connection; `nil` once it is closed and empty.
    private let channel: Mutex<DataChannel?>
    private let lastID: Mutex<UInt16?>
    private let delivery: DataChannelDelivery
    private let outbox: DataChannelOutbox
    private let reading: Task<Void, Never>

    /// - Parameter isOurs: Whether we opened it. What the other peer opened is open.
    init(_ channel: DataChannel, isOurs: Bool) {
        label = channel.label
        options = channel.options
        self.channel = Mutex(channel)
        lastID = Mutex(channel.id)
        let delivery = DataChannelDelivery(known: isOurs ? .connecting : .open)
        self.delivery = delivery
        outbox = DataChannelOutbox { [weak delivery] in delivery?.noteBufferedAmount() }
        reading = Task { await delivery.carry(from: channel) }
        delivery.adopt(self)
    }

    deinit {
        reading.cancel()
        delivery.abandon()
    }

    // MARK: What it is

    /// Where the channel stands; for one with a delegate, what that was told last.
    public var readyState: RTCDataChannelState {
        delivery.told(of: channel.withLock { $0.map { .init($0.state) } ?? .closed })
    }

    /// The number of the channel; -1 before there is one.
    public var channelId: Int32 {
        let id = channel.withLock { $0?.id } ?? lastID.withLock { $0 }
        return id.map { Int32($0) } ?? -1
    }

    /// Whether messages arrive in the order in which they were sent.
    public var isOrdered: Bool { options.isOrdered }
    /// How often a message that gets lost is sent again; `nil` until it arrives.
    public var maxRetransmits: UInt16? { options.maxRetransmits }
    /// For how many milliseconds a message that gets lost is sent again; `nil` until it arrives.
    public var maxPacketLifeTime: UInt16? {
        options.maxPacketLifeTime.map { UInt16(clamping: Int64($0 / .milliseconds(1))) }
    }
    /// Whether both peers opened it by themselves.
    public var isNegotiated: Bool { options.negotiatedID != nil }
    /// The name of the protocol that is spoken on the channel; may be empty.
    public var `protocol`: String { options.protocol }

    // MARK: Sending

    /// Bytes that wait for the connection, which holds up to a megabyte of its own besides.
    public var bufferedAmount: UInt64 { UInt64(outbox.byteCount) }

    /// Queues a message.
    ///
    /// - Returns: `false` if the channel is not open, or as much is waiting as it holds: 16 MiB. ``bufferedAmount`` tells.
    public func sendData(_ buffer: RTCDataBuffer) -> Bool {
        guard let channel = channel.withLock({ $0 }), channel.state == .open else { return false }
        return outbox.put(buffer, for: channel)
    }

    /// Sends a message behind those that are queued, and waits until the connection has taken it.
    ///
    /// - Returns: Whether it has.
    func send(_ buffer: RTCDataBuffer) async -> Bool {
        guard let channel = channel.withLock({ $0 }) else { return false }
        return await outbox.send(buffer, on: channel)
    }

    // MARK: Receiving

    /// Says whom to tell of states and messages from now on; `nil` for nobody.
    func setDelegate(_ delegate: (any RTCDataChannelDelegate)?) {
        delivery.setDelegate(delegate)
    }

    // MARK: Closing

    /// Closes the channel. What was sent before still arrives.
    public func close() {
        guard let channel = channel.withLock({ $0 }) else { return }
        Task {
            await outbox.waitUntilEmpty()
            await channel.close()
        }
    }

    /// The engine's channel is closed and empty.
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
