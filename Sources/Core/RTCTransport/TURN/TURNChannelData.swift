import RTCWire

/// Data of one peer between client and server (RFC 8656, section 12.4):
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Channel Number        |            Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Application Data                        |
/// |                              ...                              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// Over a stream it is padded to four bytes, which the length does not count.
package struct TURNChannelData: Sendable, Hashable {
    package var channel: UInt16
    /// The range of the data in the message.
    package var data: Range<Int>

    package static var headerSize: Int { 4 }
    /// The numbers that may be bound (section 12).
    package static var channels: ClosedRange<UInt16> { 0x4000...0x4FFF }
    /// The first byte of a message, which distinguishes it from other protocols at the same address (RFC 7983).
    package static var firstBytes: ClosedRange<UInt8> { 64...79 }

    /// Parses a message; `nil` if it is none, or shorter than its length field. Over UDP, other bytes may follow the
    /// data.
    @inlinable
    package init?(_ message: RawSpan) {
        guard let channel = message.uint16(at: 0), Self.channels.contains(channel), let length = message.uint16(at: 2),
            Int(length) <= message.byteCount - Self.headerSize
        else { return nil }
        self.channel = channel
        data = Self.headerSize..<Self.headerSize + Int(length)
    }
}
