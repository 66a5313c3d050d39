package import RTCWire

/// SDES ([RFC 3550, section 6.5](https://www.rfc-editor.org/rfc/rfc3550#section-6.5)).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    SC   |  PT=SDES=202  |             length            |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                          SSRC/CSRC_1                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    CNAME=1    |     length    | user and domain name        ...
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// ```
package struct SourceDescription: ~Escapable {
    private var reader: ByteReader
    private var chunksLeft: UInt8
    private var ssrc = SynchronizationSource(0)
    private var isInChunk = false

    /// One item of one source.
    package struct Item: ~Escapable {
        package let ssrc: SynchronizationSource
        /// 1 is CNAME.
        package let type: UInt8
        package let text: RawSpan

        package var isCNAME: Bool { type == SourceDescription.cname }

        @_lifetime(copy text)
        init(ssrc: SynchronizationSource, type: UInt8, text: RawSpan) {
            self.ssrc = ssrc
            self.type = type
            self.text = text
        }
    }

    static let cname: UInt8 = 1

    /// - Returns: `nil` for a packet of another type.
    @_lifetime(copy packet)
    package init?(_ packet: borrowing RTCPPacket) {
        guard packet.type == .sourceDescription else { return nil }
        reader = ByteReader(packet.body)
        chunksLeft = packet.count
    }

    /// The next item, of any source; `nil` at the end or if the packet is malformed.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    package mutating func next() -> Item? {
        while true {
            if !isInChunk {
                guard chunksLeft > 0, let source = reader.readUInt32() else { return nil }
                chunksLeft -= 1
                ssrc = SynchronizationSource(source)
                isInChunk = true
            }
            guard let type = reader.readUInt8() else { return nil }
            if type == 0 {
                // The end of a chunk, filled up to 32 bits; chunks begin at multiples of four.
                _ = reader.skip(min((4 - reader.position & 3) & 3, reader.remaining))
                isInChunk = false
                continue
            }
            guard let length = reader.readUInt8(), let text = reader.readBytes(Int(length)) else { return nil }
            return Item(ssrc: ssrc, type: type, text: text)
        }
    }

    /// The size in bytes of the packet that ``write(cname:of:to:)`` writes.
    package static func size(cname: [UInt8]) -> Int { (4 + 4 + 2 + min(cname.count, 255) + 1 + 3) & ~3 }

    /// Writes the CNAME of one source. `cname` is truncated to 255 bytes of UTF-8.
    package static func write(cname: [UInt8], of ssrc: SynchronizationSource, to writer: inout ByteWriter) {
        let length = min(cname.count, 255)
        let start = writer.beginRTCP(.sourceDescription, count: 1)
        writer.write(ssrc.rawValue)
        writer.write(Self.cname)
        writer.write(UInt8(length))
        cname.withUnsafeBytes { writer.write(UnsafeRawBufferPointer(rebasing: $0.prefix(length))) }
        // At least one zero ends the list of items.
        writer.write(UInt8(0))
        writer.endRTCP(start)
    }
}
