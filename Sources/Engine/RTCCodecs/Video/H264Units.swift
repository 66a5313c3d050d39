/// H.264 in its two shapes: NAL units behind start codes, as packets and OpenH264 have them (ITU-T H.264, annex B), and
/// behind their lengths in four bytes, as VideoToolbox has them (ISO/IEC 14496-15).
enum H264Units {
    static let startCode: [UInt8] = [0, 0, 0, 1]

    /// `nal_unit_type`
    enum Kind {
        static let instantaneousRefresh: UInt8 = 5
        static let sequenceParameters: UInt8 = 7
        static let pictureParameters: UInt8 = 8
        static let accessUnitDelimiter: UInt8 = 9
    }

    /// The units of a frame with start codes, without these.
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
        // A unit never ends with a zero: what follows it is stuffing, or belongs to the next start code.
        while end > start, data[end - 1] == 0 { end -= 1 }
        if end > start { units.append(start..<end) }
    }

    /// What a decoder that wants lengths is to be given of a frame: the parameter sets by themselves, and the pictures.
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

    /// The frame with start codes that `data` is with lengths, behind `parameterSets` if it is a key frame; `nil` when the
    /// lengths are not those of `data`.
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
