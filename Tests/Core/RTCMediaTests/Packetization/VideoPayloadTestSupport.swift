import RTCMedia
import RTCWire

extension VideoPacketizer {
    /// All payloads of a frame.
    mutating func payloads(of frame: EncodedVideoFrame, maximumPayloadSize: Int) -> [[UInt8]] {
        begin(frame, maximumPayloadSize: maximumPayloadSize)
        var memory = [UInt8](repeating: 0xEE, count: maximumPayloadSize)
        var payloads: [[UInt8]] = []
        while let part = memory.withUnsafeMutableBytes({ next(into: $0) }) {
            payloads.append(Array(memory[..<part.count]))
            if part.isLast { break }
        }
        return payloads
    }
}

func videoDescriptor(_ payload: [UInt8], _ format: PayloadFormat) -> VideoPayloadDescriptor? {
    payload.withUnsafeBytes { VideoDepacketizer.descriptor(of: RawSpan(_unsafeBytes: $0), format: format) }
}

/// What a decoder would get of these payloads, or `nil` when one of them is not a payload.
func depacketized(_ payloads: [[UInt8]], _ format: PayloadFormat) -> [UInt8]? {
    var frame: [UInt8] = []
    for payload in payloads {
        guard let descriptor = videoDescriptor(payload, format) else { return nil }
        payload.withUnsafeBytes { VideoDepacketizer.append(RawSpan(_unsafeBytes: $0), descriptor, to: &frame) }
    }
    return frame
}

/// Pictures that are none, but begin as those of their codec do.
enum TestPattern {
    /// - Parameter size: In bytes, at least 10.
    static func vp8(isKey: Bool, size: Int, fill: UInt8 = 0xA5, width: UInt16 = 640, height: UInt16 = 360) -> [UInt8] {
        var data = [UInt8](repeating: fill, count: size)
        data[0] = isKey ? 0x10 : 0x11
        if isKey {
            data.replaceSubrange(3..<6, with: [0x9D, 0x01, 0x2A])
            data[6] = UInt8(width & 0xFF)
            data[7] = UInt8(width >> 8)
            data[8] = UInt8(height & 0xFF)
            data[9] = UInt8(height >> 8)
        }
        return data
    }

    /// A sequence parameter set of constrained Baseline, 320 × 240.
    static let sps: [UInt8] = H264SPSWriter(width: 320, height: 240).unit
    /// Picture parameter set 0 of sequence parameter set 0.
    static let pps: [UInt8] = [0x68, 0xCE, 0x3C, 0x80]

    static func h264(isKey: Bool, size: Int, fill: UInt8 = 0xA5, withSets: Bool = true) -> [UInt8] {
        var data: [UInt8] = []
        if isKey, withSets { data += [0, 0, 0, 1] + sps + [0, 0, 0, 1] + pps }
        // first_mb_in_slice 0, slice_type 7, pic_parameter_set_id 0: 1 0001000 1
        data += [0, 0, 0, 1, isKey ? 0x65 : 0x41, 0x88, 0x80] + [UInt8](repeating: fill, count: size)
        return data
    }

    /// Bytes that contain no start code and do not end in zero, as in a NAL unit.
    static func unitBytes(_ random: SeededRandom, count: Int) -> [UInt8] {
        var bytes = random.bytes(count)
        for index in bytes.indices where bytes[index] == 0 { bytes[index] = 0x80 }
        return bytes
    }
}

/// Writes sequence parameter sets, bit by bit, as an encoder does.
struct H264SPSWriter {
    var profileIDC: UInt8 = 66
    var constraints: UInt8 = 0xC0
    var levelIDC: UInt8 = 31
    var id: UInt32 = 0
    var width: Int
    var height: Int
    /// 0, or 2 for a count of reference frames in the order cycle.
    var orderType: UInt32 = 2
    var hasScalingMatrix = false

    private var bits: [Bool] = []

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    var unit: [UInt8] {
        var writer = self
        return writer.write()
    }

    private mutating func write() -> [UInt8] {
        put(id)
        if profileIDC == 100 {
            put(1)
            put(0)
            put(0)
            put(bit: false)
            put(bit: hasScalingMatrix)
            if hasScalingMatrix {
                for index in 0..<8 {
                    put(bit: index == 0)
                    if index == 0 { for _ in 0..<16 { putSigned(0) } }
                }
            }
        }
        put(0)
        put(orderType)
        switch orderType {
        case 0: put(4)
        case 1:
            put(bit: false)
            putSigned(-3)
            putSigned(3)
            put(2)
            putSigned(1)
            putSigned(-1)
        default: break
        }
        put(1)
        put(bit: false)
        let columns = (width + 15) / 16, rows = (height + 15) / 16
        put(UInt32(columns - 1))
        put(UInt32(rows - 1))
        put(bit: true)
        put(bit: true)
        let isCropped = columns * 16 != width || rows * 16 != height
        put(bit: isCropped)
        if isCropped {
            put(0)
            put(UInt32(columns * 16 - width) / 2)
            put(0)
            put(UInt32(rows * 16 - height) / 2)
        }
        put(bit: false)
        put(bit: true)
        while bits.count % 8 != 0 { put(bit: false) }
        var unit: [UInt8] = [0x67, profileIDC, constraints, levelIDC]
        var zeros = 0
        for start in stride(from: 0, to: bits.count, by: 8) {
            let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            unit.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return unit
    }

    private mutating func put(bit: Bool) { bits.append(bit) }

    private mutating func put(_ number: UInt32) {
        let value = UInt64(number) + 1
        let length = 64 - value.leadingZeroBitCount
        for _ in 0..<length - 1 { put(bit: false) }
        for shift in (0..<length).reversed() { put(bit: value >> UInt64(shift) & 1 == 1) }
    }

    private mutating func putSigned(_ number: Int32) {
        put(number > 0 ? UInt32(number) * 2 - 1 : UInt32(-number) * 2)
    }
}
