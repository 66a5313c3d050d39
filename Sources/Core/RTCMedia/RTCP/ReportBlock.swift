public import RTCWire

/// What a receiver reports of one source ([RFC 3550, section 6.4.1](https://www.rfc-editor.org/rfc/rfc3550#section-6.4.1)).
///
/// ```
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                 SSRC of the source                            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | fraction lost |       cumulative number of packets lost       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           extended highest sequence number received           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      interarrival jitter                      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         last SR (LSR)                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   delay since last SR (DLSR)                  |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// ```
@frozen
@usableFromInline package struct ReportBlock: Hashable, Sendable {
    @usableFromInline package static var size: Int { 24 }

    @usableFromInline package var ssrc: SynchronizationSource
    /// Of 256 packets since the report before, how many were lost.
    @usableFromInline package var fractionLost: UInt8
    /// Packets lost since the beginning, in 24 bits with a sign: duplicates can make it negative.
    @usableFromInline package var cumulativeLost: Int32
    /// The highest sequence number, with its turns in the upper 16 bits.
    @usableFromInline package var highestSequenceNumber: UInt32
    /// In ticks of the stream's clock.
    @usableFromInline package var jitter: UInt32
    /// The middle 32 bits of the last sender report's time; 0 when there was none.
    @usableFromInline package var lastSenderReport: UInt32
    /// The time since that report arrived, in units of 2⁻¹⁶ s.
    @usableFromInline package var delaySinceLastSenderReport: UInt32

    @usableFromInline package init(
        ssrc: SynchronizationSource, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0,
        highestSequenceNumber: UInt32 = 0, jitter: UInt32 = 0, lastSenderReport: UInt32 = 0,
        delaySinceLastSenderReport: UInt32 = 0
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.highestSequenceNumber = highestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    init?(_ bytes: RawSpan, at offset: Int) {
        guard let ssrc = bytes.uint32(at: offset), let loss = bytes.uint32(at: offset + 4),
            let highest = bytes.uint32(at: offset + 8), let jitter = bytes.uint32(at: offset + 12),
            let report = bytes.uint32(at: offset + 16), let delay = bytes.uint32(at: offset + 20)
        else { return nil }
        self.init(
            ssrc: SynchronizationSource(ssrc), fractionLost: UInt8(truncatingIfNeeded: loss >> 24),
            // Sign-extends the 24 bits.
            cumulativeLost: Int32(truncatingIfNeeded: loss << 8) >> 8, highestSequenceNumber: highest, jitter: jitter,
            lastSenderReport: report, delaySinceLastSenderReport: delay)
    }

    func write(to writer: inout ByteWriter) {
        let lost = UInt32(bitPattern: min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)) & 0xFF_FFFF
        writer.write(ssrc.rawValue)
        writer.write(UInt32(fractionLost) << 24 | lost)
        writer.write(highestSequenceNumber)
        writer.write(jitter)
        writer.write(lastSenderReport)
        writer.write(delaySinceLastSenderReport)
    }
}

/// The report blocks of a packet, read where they lie.
@usableFromInline package struct ReportBlocks: ~Escapable {
    private let bytes: RawSpan
    /// As many as the packet says and has, at most 31.
    @usableFromInline package let count: Int

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, claimed: UInt8) {
        self.bytes = bytes
        count = min(Int(claimed), bytes.byteCount / ReportBlock.size)
    }

    /// The block at `index`, or `nil` outside `0 ..< count`.
    @usableFromInline package subscript(index: Int) -> ReportBlock? {
        index >= 0 && index < count ? ReportBlock(bytes, at: index * ReportBlock.size) : nil
    }
}
