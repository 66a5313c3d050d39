package import RTCWire

/// BYE ([RFC 3550, section 6.6](https://www.rfc-editor.org/rfc/rfc3550#section-6.6)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    SC   |   PT=BYE=203  |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                           SSRC/CSRC                           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// :                              ...                              :
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |     length    |               reason for leaving            ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The reason is neither read nor written.
package struct Goodbye: ~Escapable {
    private let body: RawSpan
    /// How many sources leave, at most 31.
    package let count: Int

    /// - Returns: `nil` for a packet of another type.
    @_lifetime(copy packet)
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.type == .goodbye else { return nil }
        body = packet.body
        count = min(Int(packet.count), packet.body.byteCount / 4)
    }

    /// The source at `index`, or `nil` outside `0 ..< count`.
    package subscript(index: Int) -> SynchronizationSource? {
        index >= 0 && index < count ? body.uint32(at: index * 4).map(SynchronizationSource.init) : nil
    }

    package static func write(_ ssrc: SynchronizationSource, to writer: inout ByteWriter) {
        let start = writer.beginRTCP(.goodbye, count: 1)
        writer.write(ssrc.rawValue)
        writer.endRTCP(start)
    }
}
