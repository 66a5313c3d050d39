/// Reads the size of a VP8 or VP9 frame from its header, before a library allocates memory for it.
enum VPXFrameSize {
    /// The size of a VP8 key frame: after a start code, 14 bits each for width and height (RFC 7741, section 4.3).
    static func vp8(_ data: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
        guard data.count >= 10, data[0] & 1 == 0, data[3] == 0x9D, data[4] == 0x01, data[5] == 0x2A else { return nil }
        return (
            Int(data[6]) | Int(data[7] & 0x3F) << 8,
            Int(data[8]) | Int(data[9] & 0x3F) << 8
        )
    }

    /// The sizes of the frames in a VP9 superframe, from the index at its end; `nil` for a single frame (VP9 bitstream
    /// specification, annex B).
    static func superframe(_ data: UnsafeRawBufferPointer) -> (sizes: [Int], indexSize: Int)? {
        guard let marker = data.last, marker & 0xE0 == 0xC0 else { return nil }
        let count = Int(marker & 7) + 1
        let bytes = Int(marker >> 3 & 3) + 1
        let indexSize = 2 + count * bytes
        guard data.count >= indexSize, data[data.count - indexSize] == marker else { return nil }
        var sizes: [Int] = []
        var position = data.count - indexSize + 1
        for _ in 0..<count {
            var size = 0
            for byte in 0..<bytes { size |= Int(data[position + byte]) << (8 * byte) }
            position += bytes
            sizes.append(size)
        }
        return (sizes, indexSize)
    }

    /// The size in the uncompressed header of a VP9 frame; `nil` if it refers to an earlier frame's, or for an invalid
    /// header (VP9 bitstream specification, section 6.2).
    static func vp9(_ data: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
        var bits = BitReader(data: data)
        guard bits.read(2) == 2 else { return nil }
        let profile = bits.read(1) | bits.read(1) << 1
        if profile == 3 { _ = bits.read(1) }
        guard bits.read(1) == 0 else { return nil }  // show_existing_frame
        let isInter = bits.read(1) == 1
        let isShown = bits.read(1) == 1
        let isErrorResilient = bits.read(1) == 1
        if !isInter {
            guard bits.read(24) == 0x49_83_42 else { return nil }
            skipColorConfiguration(&bits, profile: profile)
            return size(&bits)
        }
        let isIntraOnly = isShown ? false : bits.read(1) == 1
        if !isErrorResilient { _ = bits.read(2) }
        if isIntraOnly {
            guard bits.read(24) == 0x49_83_42 else { return nil }
            if profile > 0 { skipColorConfiguration(&bits, profile: profile) }
            _ = bits.read(8)
            return size(&bits)
        }
        _ = bits.read(8)
        for _ in 0..<3 { _ = bits.read(4) }
        for _ in 0..<3 where bits.read(1) == 1 { return nil }
        return size(&bits)
    }

    private static func skipColorConfiguration(_ bits: inout BitReader, profile: Int) {
        if profile >= 2 { _ = bits.read(1) }
        if bits.read(3) != 7 {
            _ = bits.read(1)
            if profile == 1 || profile == 3 { _ = bits.read(3) }
        } else if profile == 1 || profile == 3 {
            _ = bits.read(1)
        }
    }

    private static func size(_ bits: inout BitReader) -> (width: Int, height: Int)? {
        let width = bits.read(16) + 1
        let height = bits.read(16) + 1
        return bits.isPastEnd ? nil : (width, height)
    }

    /// Reads bits, most significant first; zeros past the end.
    private struct BitReader {
        let data: UnsafeRawBufferPointer
        private var position = 0

        init(data: UnsafeRawBufferPointer) {
            self.data = data
        }

        var isPastEnd: Bool { position > data.count * 8 }

        mutating func read(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                let byte = position >> 3
                let bit = byte < data.count ? Int(data[byte] >> (7 - UInt8(position & 7)) & 1) : 0
                value = value << 1 | bit
                position += 1
            }
            return value
        }
    }
}
