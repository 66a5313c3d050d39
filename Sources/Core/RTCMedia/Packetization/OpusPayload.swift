import RTCWire

/// What an Opus payload says of itself, without decoding it. It is one Opus packet as it stands (RFC 7587, section 4.2),
/// whose first byte tells the rest ([RFC 6716, section 3](https://www.rfc-editor.org/rfc/rfc6716#section-3)).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     | config  |s| c |  kind and length of the frames; stereo; how many frames there are
///     +-+-+-+-+-+-+-+-+
package struct OpusPayload: Sendable, Hashable {
    /// How long one frame plays, in ticks of 48 kHz.
    package var frameDuration: Int
    package var frameCount: Int
    package var isStereo: Bool
    /// Whether it repeats the packet before it, in lower quality (in-band FEC).
    package var carriesPreviousPacket: Bool

    /// How long the packet plays, in ticks of 48 kHz, the RTP clock of Opus whatever the sampling rate: at most 5,760.
    package var duration: Int { frameDuration * frameCount }

    /// - Returns: `nil` when it is not an Opus packet (RFC 6716, section 3.4).
    package init?(_ payload: RawSpan) {
        guard let head = payload.byte(at: 0) else { return nil }
        let configuration = Int(head >> 3)
        isStereo = head & 0x04 != 0
        frameDuration =
            switch configuration {
            case 0..<12: [480, 960, 1_920, 2_880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        // The offset of the first frame, if it is not empty.
        var firstByte: Int?
        let size = payload.byteCount
        switch head & 0x03 {
        case 0:
            frameCount = 1
            firstByte = size > 1 ? 1 : nil
        case 1:
            guard size & 1 == 1 else { return nil }
            frameCount = 2
            firstByte = size > 1 ? 1 : nil
        case 2:
            guard let (length, next) = Self.length(payload, at: 1), next + length <= size else { return nil }
            frameCount = 2
            firstByte = length > 0 ? next : nil
        default:
            guard let frames = Self.frames(of: payload) else { return nil }
            frameCount = frames.count
            firstByte = frames.first
        }
        carriesPreviousPacket = false
        guard duration <= 5_760 else { return nil }
        // Only SILK and hybrid frames have redundancy: a flag after the voice activity flags of each 20 ms (section
        // 4.2.3).
        guard configuration < 16, let firstByte, let flags = payload.byte(at: firstByte) else { return }
        let parts = UInt8(max(frameDuration / 960, 1))
        carriesPreviousPacket = flags >> (7 - parts) & 1 == 1
        if isStereo, flags >> (6 - 2 * parts) & 1 == 1 { carriesPreviousPacket = true }
    }

    /// The number of frames of code 3, and the offset of the first.
    private static func frames(of payload: RawSpan) -> (count: Int, first: Int?)? {
        guard let head = payload.byte(at: 1) else { return nil }
        let count = Int(head & 0x3F)
        guard count > 0 else { return nil }
        var offset = 2
        var padding = 0
        if head & 0x40 != 0 {
            while true {
                guard let byte = payload.byte(at: offset) else { return nil }
                offset += 1
                padding += byte == 255 ? 254 : Int(byte)
                if byte != 255 { break }
            }
        }
        var rest = payload.byteCount - offset - padding
        guard rest >= 0 else { return nil }
        if head & 0x80 == 0 {
            guard rest % count == 0 else { return nil }
            return (count, rest > 0 ? offset : nil)
        }
        var first = 0
        for index in 0..<count - 1 {
            guard let (length, next) = length(payload, at: offset) else { return nil }
            rest -= next - offset + length
            guard rest >= 0 else { return nil }
            offset = next
            if index == 0 { first = length }
        }
        if count == 1 { first = rest }
        return (count, first > 0 ? offset : nil)
    }

    /// The length of a frame in one or two bytes, and the offset after it (section 3.2.1).
    private static func length(_ payload: RawSpan, at offset: Int) -> (length: Int, next: Int)? {
        guard let first = payload.byte(at: offset) else { return nil }
        guard first >= 252 else { return (Int(first), offset + 1) }
        guard let second = payload.byte(at: offset + 1) else { return nil }
        return (Int(second) * 4 + Int(first), offset + 2)
    }
}
