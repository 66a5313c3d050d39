package import RTCMedia
package import RTCWire

/// Synthetic frames: they begin like frames of their codec and end with two numbers, their own and that of the frame
/// that they refer to.
package enum SyntheticVideo {
    /// The numbers at the end of a frame.
    package struct Mark: Hashable {
        package var number: Int
        /// The frame before; `nil` in a key frame.
        package var reference: Int?

        package init(number: Int, reference: Int? = nil) {
            self.number = number
            self.reference = reference
        }
    }

    package static let (width, height) = (320, 240)

    /// - Parameter size: In bytes, about.
    package static func frame(
        _ mark: Mark, format: PayloadFormat, size: Int, timestamp: RTPTimestamp
    ) -> EncodedVideoFrame {
        let isKey = mark.reference == nil
        var data = head(format, isKey: isKey)
        data.reserveCapacity(size + 32)
        // No zeros: H.264 would take them for start codes.
        let fill = UInt8(truncatingIfNeeded: mark.number % 200 + 20)
        data.append(contentsOf: repeatElement(fill, count: max(size - data.count - 8, 8)))
        append(mark.number, to: &data)
        append(mark.reference ?? 0, to: &data)
        return EncodedVideoFrame(
            format: format, data: data, isKeyFrame: isKey, timestamp: timestamp, width: width, height: height)
    }

    package static func mark(of frame: EncodedVideoFrame) -> Mark? {
        guard frame.data.count >= 16 else { return nil }
        let tail = frame.data.suffix(8)
        let number = read(tail.prefix(4))
        guard frame.data[frame.data.count - 9] == UInt8(truncatingIfNeeded: number % 200 + 20) else { return nil }
        return Mark(number: number, reference: frame.isKeyFrame ? nil : read(tail.suffix(4)))
    }

    private static func head(_ format: PayloadFormat, isKey: Bool) -> [UInt8] {
        switch format {
        case .vp8:
            isKey
                ? [0x10, 1, 1, 0x9D, 0x01, 0x2A, UInt8(width & 0xFF), UInt8(width >> 8), UInt8(height), 0]
                : [0x11, 1, 1]
        case .h264:
            // Parameter sets of constrained Baseline, 320 × 240, before the slice.
            isKey
                ? [0, 0, 0, 1, 0x67, 0x42, 0xC0, 0x1F, 0xDA, 0x05, 0x07, 0xE4, 0, 0, 0, 1, 0x68, 0xCE, 0x3C, 0x80]
                    + [0, 0, 0, 1, 0x65, 0x88, 0x80] : [0, 0, 0, 1, 0x41, 0x88, 0x80]
        default: [isKey ? 0x82 : 0x86]
        }
    }

    private static func append(_ number: Int, to data: inout [UInt8]) {
        for shift in [21, 14, 7, 0] { data.append(0x80 | UInt8(truncatingIfNeeded: number >> shift & 0x7F)) }
    }

    private static func read(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
}
