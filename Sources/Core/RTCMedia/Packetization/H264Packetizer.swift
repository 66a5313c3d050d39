import RTCWire

/// Writes H.264 payloads: single NAL units, aggregates of small ones (STAP-A), and fragments of large ones (FU-A)
/// ([RFC 6184, section 5](https://www.rfc-editor.org/rfc/rfc6184#section-5)).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |F|NRI|  Type   |  1 to 23: a NAL unit, 24: STAP-A, 28: FU-A
///     +-+-+-+-+-+-+-+-+
///     |S|E|R|  Type   |  in a FU-A: start, end, and the fragmented unit's type
///     +-+-+-+-+-+-+-+-+
struct H264Packetizer: Sendable {
    /// Whether packetization mode 1 is used; in mode 0 every payload is one NAL unit.
    private let allowsFragments: Bool
    /// Both are reused between frames.
    private var units: [Range<Int>] = []
    private var payloads: [Payload] = []
    private var nextPayload = 0

    private enum Payload: Sendable {
        case unit(Int)
        /// Several units, as a range of their indices.
        case aggregate(Range<Int>)
        /// A range of the frame's bytes, a fragment of the unit with header `header`.
        case fragment(Range<Int>, header: UInt8, isFirst: Bool, isLast: Bool)
    }

    init(allowsFragments: Bool) {
        self.allowsFragments = allowsFragments
    }

    mutating func begin(_ frame: EncodedVideoFrame, maximumPayloadSize: Int) -> Int {
        units.removeAll(keepingCapacity: true)
        payloads.removeAll(keepingCapacity: true)
        nextPayload = 0
        frame.data.withUnsafeBytes { AnnexB.forEachUnit(in: $0) { units.append($0) } }
        var index = 0
        while index < units.count {
            let unit = units[index]
            if unit.count > maximumPayloadSize {
                guard allowsFragments else {
                    payloads.removeAll(keepingCapacity: true)
                    return 0
                }
                appendFragments(of: unit, header: frame.data[unit.lowerBound], limit: maximumPayloadSize - 2)
                index += 1
                continue
            }
            let end = allowsFragments ? endOfAggregate(from: index, limit: maximumPayloadSize) : index + 1
            payloads.append(end == index + 1 ? .unit(index) : .aggregate(index..<end))
            index = end
        }
        return payloads.count
    }

    /// - Returns: Whether this was the frame's last payload.
    mutating func next(_ data: UnsafeRawBufferPointer, into writer: inout ByteWriter) -> Bool {
        guard nextPayload < payloads.count else { return true }
        switch payloads[nextPayload] {
        case .unit(let index):
            writer.write(UnsafeRawBufferPointer(rebasing: data[units[index]]))
        case .aggregate(let indices):
            // The forbidden bit and NRI of the aggregate are the highest of its units (section 5.7).
            var forbidden: UInt8 = 0, importance: UInt8 = 0
            for index in indices {
                let header = data[units[index].lowerBound]
                forbidden |= header & 0x80
                importance = max(importance, header & 0x60)
            }
            writer.write(forbidden | importance | H264UnitType.stapA)
            for index in indices {
                writer.write(UInt16(truncatingIfNeeded: units[index].count))
                writer.write(UnsafeRawBufferPointer(rebasing: data[units[index]]))
            }
        case .fragment(let range, let header, let isFirst, let isLast):
            writer.write(header & 0xE0 | H264UnitType.fuA)
            writer.write((isFirst ? 0x80 : 0) | (isLast ? 0x40 : 0) | header & 0x1F)
            writer.write(UnsafeRawBufferPointer(rebasing: data[range]))
        }
        nextPayload += 1
        return nextPayload == payloads.count
    }

    /// The index after the last unit that fits into one payload with the unit at `first`.
    private func endOfAggregate(from first: Int, limit: Int) -> Int {
        var size = 1
        var end = first
        while end < units.count, size + 2 + units[end].count <= limit, units[end].count <= 0xFFFF {
            size += 2 + units[end].count
            end += 1
        }
        return max(end, first + 1)
    }

    private mutating func appendFragments(of unit: Range<Int>, header: UInt8, limit: Int) {
        var offset = unit.lowerBound + 1
        var split = EvenSplit(unit.count - 1, limit: limit)
        while split.remainingParts > 0 {
            let size = split.next()
            payloads.append(
                .fragment(
                    offset..<offset + size, header: header, isFirst: offset == unit.lowerBound + 1,
                    isLast: split.remainingParts == 0))
            offset += size
        }
    }
}

/// The NAL unit types used here (RFC 6184, table 1; ITU-T H.264, table 7-1).
enum H264UnitType {
    static let slice: UInt8 = 1
    /// A slice of a picture at which decoding can start.
    static let idrSlice: UInt8 = 5
    static let sequenceParameterSet: UInt8 = 7
    static let pictureParameterSet: UInt8 = 8
    static let accessUnitDelimiter: UInt8 = 9
    static let stapA: UInt8 = 24
    static let fuA: UInt8 = 28
}

/// The byte stream format, in which start codes separate the NAL units (ITU-T H.264, annex B).
enum AnnexB {
    static let startCode: UInt32 = 1

    /// Calls `body` with the range of each NAL unit: without start codes, zeros between units, and empty units.
    static func forEachUnit(in bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var start: Int?
        var index = 0
        while let zero = firstZero(in: bytes, from: index), zero + 2 < bytes.count {
            if bytes[zero + 1] != 0 {
                index = zero + 2
            } else if bytes[zero + 2] == 1 {
                if let start { report(start..<zero, in: bytes, body) }
                start = zero + 3
                index = zero + 3
            } else {
                index = bytes[zero + 2] == 0 ? zero + 1 : zero + 3
            }
        }
        if let start { report(start..<bytes.count, in: bytes, body) }
    }

    /// The index of the next zero, since a start code contains two. Searches eight bytes at a time, because all encoded
    /// frames pass through here.
    private static func firstZero(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            // The lowest marked byte is the first zero: borrows mark only higher bytes.
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] == 0 { return index }
            index += 1
        }
        return nil
    }

    /// Trailing zeros are padding: a unit ends with a set bit.
    private static func report(
        _ range: Range<Int>, in bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void
    ) {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
        if end > range.lowerBound { body(range.lowerBound..<end) }
    }
}
