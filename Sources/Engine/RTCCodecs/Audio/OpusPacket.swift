/// The information in the first bytes of an Opus packet (RFC 6716, section 3.1).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     | config  |s| c |
///     +-+-+-+-+-+-+-+-+
struct OpusPacket {
    /// The duration in samples at 48 kHz: 2.5 to 120 ms.
    let samples: Int

    /// Returns `nil` for an invalid packet.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return nil }
        let frames: Int
        switch first & 3 {
        case 0: frames = 1
        case 1, 2: frames = 2
        default:
            guard bytes.count >= 2 else { return nil }
            frames = Int(bytes[1] & 63)
        }
        samples = frames * Self.frameLength(configuration: Int(first >> 3))
        guard (120...5_760).contains(samples) else { return nil }
    }

    /// The frame length in samples at 48 kHz (RFC 6716, table 2).
    private static func frameLength(configuration: Int) -> Int {
        switch configuration {
        case 0..<12: [480, 960, 1_920, 2_880][configuration & 3]
        case 12..<16: [480, 960][configuration & 1]
        default: [120, 240, 480, 960][configuration & 3]
        }
    }
}
