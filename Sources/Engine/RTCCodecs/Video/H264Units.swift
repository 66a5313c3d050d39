/// H.264 in its two formats: NAL units separated by start codes, as in packets and OpenH264 (ITU-T H.264, annex B), and
/// prefixed by lengths of four bytes, as in VideoToolbox (ISO/IEC 14496-15).
enum H264Units {
    static let startCode: [UInt8] = [0, 0, 0, 1]

    /// `nal_unit_type`
    enum Kind {
        static let instantaneousRefresh: UInt8 = 5
        static let sequenceParameters: UInt8 = 7
        static let pictureParameters: UInt8 = 8
        static let accessUnitDelimiter: UInt8 = 9
    }

    /// The ranges of the NAL units of a frame with start codes, without these.
    static func split(_ data: [UInt8]) -> [Range<Int>] {
        var units: [Range<Int>] = []
        var start: Int?
        var zeros = 0
        for index in data.indices {
            if data[index] == 1, zeros >= 2 {
                append(data, from: start, to: index - zeros, &units)
                start = index + 1
            }
            zeros = data[index] == 0 ? zeros + 1 : 0
        }
        append(data, from: start, to: data.count, &units)
        return units
    }

    private static func append(_ data: [UInt8], from start: Int?, to end: Int, _ units: inout [Range<Int>]) {
        guard let start else { return }
        var end = end
        // A unit never ends with a zero byte: trailing zeros are stuffing or belong to the next start code.
        while end > start, data[end - 1] == 0 { end -= 1 }
        if end > start { units.append(start..<end) }
    }

    /// A frame for a decoder with length prefixes: the parameter sets separately, and the slices.
    struct Separated {
        var sequenceParameters: [UInt8]?
        var pictureParameters: [UInt8]?
        var pictures: [UInt8] = []

        init(_ data: [UInt8]) {
            pictures.reserveCapacity(data.count + 16)
            for unit in H264Units.split(data) {
                switch data[unit.lowerBound] & 31 {
                case Kind.sequenceParameters: sequenceParameters = Array(data[unit])
                case Kind.pictureParameters: pictureParameters = Array(data[unit])
                case Kind.accessUnitDelimiter: break
                default:
                    for shift in stride(from: 24, through: 0, by: -8) {
                        pictures.append(UInt8(truncatingIfNeeded: unit.count >> shift))
                    }
                    pictures += data[unit]
                }
            }
        }
    }

    /// Converts `data` from lengths to start codes, and inserts `parameterSets` before a key frame; `nil` when the
    /// lengths do not match `data`.
    static func withStartCodes(
        _ data: [UInt8], parameterSets: [[UInt8]]
    ) -> (data: [UInt8], isKeyFrame: Bool)? {
        var units: [Range<Int>] = []
        var isKeyFrame = false
        var position = 0
        while position < data.count {
            guard data.count - position >= 4 else { return nil }
            let length = data[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            position += 4
            guard length > 0, length <= data.count - position else { return nil }
            if data[position] & 31 == Kind.instantaneousRefresh { isKeyFrame = true }
            units.append(position..<position + length)
            position += length
        }
        var output: [UInt8] = []
        output.reserveCapacity(data.count + 64)
        if isKeyFrame { for set in parameterSets { output += startCode + set } }
        for unit in units { output += startCode + data[unit] }
        return (output, isKeyFrame)
    }
}
