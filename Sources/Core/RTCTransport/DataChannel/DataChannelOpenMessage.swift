internal import RTCWire

/// DATA_CHANNEL_OPEN: its sender opens a data channel on the stream that it is sent on
/// ([RFC 8832, section 5.1](https://www.rfc-editor.org/rfc/rfc8832#section-5.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// |  Message type |  Channel type |            Priority           |
/// +---------------+---------------+-------------------------------+
/// |                    Reliability parameter                      |
/// +-------------------------------+-------------------------------+
/// |         Label length          |       Protocol length         |
/// +-------------------------------+-------------------------------+
/// |                             Label                             |
/// +---------------------------------------------------------------+
/// |                            Protocol                           |
/// +---------------------------------------------------------------+
/// ```
///
/// DATA_CHANNEL_ACK, which answers it (section 5.2), is the one byte ``acknowledgement``.
struct DataChannelOpenMessage: Equatable {
    static let type: UInt8 = 0x03
    static let acknowledgement: UInt8 = 0x02

    private static let unorderedFlag: UInt8 = 0x80
    private static let reliable: UInt8 = 0x00
    private static let partiallyReliableByRetransmits: UInt8 = 0x01
    private static let partiallyReliableByLifetime: UInt8 = 0x02

    /// The parameters in the message; without a negotiated identifier.
    var parameters: DataChannelParameters

    init(_ parameters: DataChannelParameters) {
        self.parameters = parameters
        self.parameters.negotiatedID = nil
    }

    /// Returns `nil` when the message is truncated, of another type, or has a channel type that RFC 8832 does not
    /// define. Repairs a label or protocol that is not UTF-8.
    init?(parsing message: RawSpan) {
        var reader = ByteReader(message)
        guard reader.readUInt8() == Self.type, let channelType = reader.readUInt8(),
            let priority = reader.readUInt16(), let reliability = reader.readUInt32(),
            let labelLength = reader.readUInt16(), let protocolLength = reader.readUInt16(),
            let label = reader.readBytes(Int(labelLength)), let subprotocol = reader.readBytes(Int(protocolLength))
        else { return nil }
        parameters = DataChannelParameters(
            label: label.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
            protocol: subprotocol.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
            ordered: channelType & Self.unorderedFlag == 0,
            priority: DataChannelPriority(rawValue: priority))
        switch channelType & ~Self.unorderedFlag {
        case Self.reliable: break
        case Self.partiallyReliableByRetransmits: parameters.maxRetransmits = UInt16(clamping: reliability)
        case Self.partiallyReliableByLifetime: parameters.maxPacketLifeTime = .milliseconds(Int64(reliability))
        default: return nil
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [Self.type]
        var channelType = Self.reliable
        var reliability: UInt32 = 0
        if let limit = parameters.maxRetransmits {
            channelType = Self.partiallyReliableByRetransmits
            reliability = UInt32(limit)
        } else if let lifetime = parameters.maxPacketLifeTime {
            channelType = Self.partiallyReliableByLifetime
            reliability = UInt32(clamping: lifetime.milliseconds)
        }
        bytes.append(channelType | (parameters.ordered ? 0 : Self.unorderedFlag))
        bytes.append(bigEndian: parameters.priority.rawValue)
        bytes.append(bigEndian: reliability)
        bytes.append(bigEndian: UInt16(clamping: parameters.label.utf8.count))
        bytes.append(bigEndian: UInt16(clamping: parameters.protocol.utf8.count))
        bytes += parameters.label.utf8.prefix(65_535)
        bytes += parameters.protocol.utf8.prefix(65_535)
        return bytes
    }
}

/// The payload protocol identifiers of data channels (RFC 8831, section 8).
enum DataChannelPayload {
    static let control: UInt32 = 50
    static let text: UInt32 = 51
    /// Deprecated: all but the last part of a binary message.
    static let binaryPartial: UInt32 = 52
    static let binary: UInt32 = 53
    /// Deprecated: all but the last part of a text message.
    static let textPartial: UInt32 = 54
    /// One byte, ignored by the receiver, for an empty message, which SCTP cannot carry.
    static let textEmpty: UInt32 = 56
    static let binaryEmpty: UInt32 = 57
}
