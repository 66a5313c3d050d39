internal import RTC
internal import Synchronization

/// The options of a data channel: reliable and ordered by default.
public final class RTCDataChannelConfiguration: Sendable {
    private struct Values {
        var isOrdered = true
        var maxPacketLifeTime: Int32 = -1
        var maxRetransmits: Int32 = -1
        var isNegotiated = false
        var channelId: Int32 = -1
        var `protocol` = ""
    }

    private let values = Mutex(Values())

    public init() {}

    /// Whether messages are delivered in the order in which they were sent.
    public var isOrdered: Bool {
        get { values.withLock { $0.isOrdered } }
        set { values.withLock { $0.isOrdered = newValue } }
    }

    /// The maximum time in milliseconds during which a message is retransmitted, 0 to 65,535; -1 for no limit. Cannot
    /// be combined with ``maxRetransmits``.
    public var maxPacketLifeTime: Int32 {
        get { values.withLock { $0.maxPacketLifeTime } }
        set { values.withLock { $0.maxPacketLifeTime = newValue } }
    }

    /// The maximum number of retransmissions of a message, 0 to 65,535; -1 for no limit.
    public var maxRetransmits: Int32 {
        get { values.withLock { $0.maxRetransmits } }
        set { values.withLock { $0.maxRetransmits = newValue } }
    }

    /// Whether both peers create the channel with the same ``channelId``, without an announcement (`negotiated`).
    public var isNegotiated: Bool {
        get { values.withLock { $0.isNegotiated } }
        set { values.withLock { $0.isNegotiated = newValue } }
    }

    /// The SCTP stream identifier of a negotiated channel, 0 to 65,534; -1 otherwise. Browsers accept less than 1,024.
    public var channelId: Int32 {
        get { values.withLock { $0.channelId } }
        set { values.withLock { $0.channelId = newValue } }
    }

    /// The name of the subprotocol; may be empty.
    public var `protocol`: String {
        get { values.withLock { $0.protocol } }
        set { values.withLock { $0.protocol = newValue } }
    }

    /// The engine's options.
    ///
    /// - Throws: ``RTCError`` `invalidArgument`, which names the value that is out of range.
    func options() throws(RTCError) -> DataChannelOptions {
        let values = values.withLock { $0 }
        var options = DataChannelOptions()
        options.isOrdered = values.isOrdered
        options.protocol = values.protocol
        options.maxRetransmits = try Self.number(values.maxRetransmits, "maxRetransmits")
        options.maxPacketLifeTime = try Self.number(values.maxPacketLifeTime, "maxPacketLifeTime")
            .map { .milliseconds(Int64($0)) }
        guard values.isNegotiated else { return options }
        guard values.channelId != 65_535 else {
            throw RTCError(code: .invalidArgument, message: "channelId is 65,535: it is 0 to 65,534")
        }
        options.negotiatedID = try Self.number(values.channelId, "channelId")
        guard options.negotiatedID != nil else {
            throw RTCError(code: .invalidArgument, message: "a channel that is negotiated needs a channelId: set one")
        }
        return options
    }

    private static func number(_ value: Int32, _ name: String) throws(RTCError) -> UInt16? {
        guard value != -1 else { return nil }
        guard let number = UInt16(exactly: value) else {
            throw RTCError(code: .invalidArgument, message: "\(name) is \(value): it is 0 to 65,535, or -1 for none")
        }
        return number
    }
}
