internal import RTC
internal import Synchronization

/// How a data channel carries its messages: reliably and in order, unless it says otherwise.
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

    /// Whether messages arrive in the order in which they were sent.
    public var isOrdered: Bool {
        get { values.withLock { $0.isOrdered } }
        set { values.withLock { $0.isOrdered = newValue } }
    }

    /// For how many milliseconds a message that gets lost is sent again, 0 to 65,535; -1 until it arrives. Excludes
    /// ``maxRetransmits``.
    public var maxPacketLifeTime: Int32 {
        get { values.withLock { $0.maxPacketLifeTime } }
        set { values.withLock { $0.maxPacketLifeTime = newValue } }
    }

    /// How often a message that gets lost is sent again, 0 to 65,535; -1 until it arrives.
    public var maxRetransmits: Int32 {
        get { values.withLock { $0.maxRetransmits } }
        set { values.withLock { $0.maxRetransmits = newValue } }
    }

    /// Whether the other peer opens the channel by itself, with the same ``channelId``, and is not told of it.
    public var isNegotiated: Bool {
        get { values.withLock { $0.isNegotiated } }
        set { values.withLock { $0.isNegotiated = newValue } }
    }

    /// The number that both peers have agreed upon for a channel that is negotiated, 0 to 65,534; -1 otherwise. Browsers take less
    /// than 1,024.
    public var channelId: Int32 {
        get { values.withLock { $0.channelId } }
        set { values.withLock { $0.channelId = newValue } }
    }

    /// The name of the protocol that is spoken on the channel; may be empty.
    public var `protocol`: String {
        get { values.withLock { $0.protocol } }
        set { values.withLock { $0.protocol = newValue } }
    }

    /// As the engine takes it.
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
