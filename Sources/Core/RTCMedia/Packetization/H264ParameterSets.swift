import RTCWire

/// Stores the sequence and picture parameter sets of a stream, for key frames that come without them.
///
/// A sender may send them once, apart from the frames, or in the description (RFC 6184, section 8.4). The decoder gets
/// every key frame together with its parameter sets, so that it can start there.
struct H264ParameterSets: Sendable {
    /// Limits beyond what any sender needs; more or longer sets are not kept.
    private static let maximumCount = 16
    private static let maximumSize = 2_048

    private var sequenceSets: [Entry] = []
    private var pictureSets: [Entry] = []

    private struct Entry: Sendable {
        var id: UInt32
        /// For a picture parameter set, the identifier of its sequence parameter set.
        var sequenceID: UInt32
        /// The NAL unit with its header byte, without a start code.
        var unit: [UInt8]
    }

    /// Keeps `unit`, a NAL unit with its header byte, if it is a parameter set.
    mutating func note(_ unit: UnsafeRawBufferPointer) {
        guard let header = unit.first, unit.count <= Self.maximumSize else { return }
        var bits = H264BitReader(UnsafeRawBufferPointer(rebasing: unit.dropFirst()))
        switch header & 0x1F {
        case H264UnitType.sequenceParameterSet:
            guard let set = H264SequenceParameterSet(unit) else { return }
            Self.keep(Entry(id: set.id, sequenceID: set.id, unit: []), unit, in: &sequenceSets)
        case H264UnitType.pictureParameterSet:
            guard let id = bits.readUnsigned(), id <= 255, let sequenceID = bits.readUnsigned(), sequenceID <= 31 else {
                return
            }
            Self.keep(Entry(id: id, sequenceID: sequenceID, unit: []), unit, in: &pictureSets)
        default: break
        }
    }

    /// Keeps the sets of `sprop-parameter-sets`: NAL units in base64, separated by commas (RFC 6184, section 8.1).
    mutating func note(description: String) {
        for part in description.split(separator: ",", maxSplits: Self.maximumCount) {
            guard part.utf8.count <= 2 * Self.maximumSize else { continue }
            // Some senders leave out the padding.
            var text = part.filter { $0 != " " && $0 != "=" }
            while !text.utf8.count.isMultiple(of: 4) { text.append("=") }
            guard let unit = Base64.decode(text) else { continue }
            unit.withUnsafeBytes { note($0) }
        }
    }

    /// The parameter sets to insert before `picture`, a key frame in Annex B, so that decoding can start there, and its
    /// size in pixels if known.
    ///
    /// - Returns: `nil` when sets are missing in it and never arrived.
    func completion(of picture: UnsafeRawBufferPointer) -> (prefix: [UInt8], size: (width: Int, height: Int)?)? {
        var sequence: H264SequenceParameterSet?
        var hasSequenceSet = false
        var hasPictureSet = false
        var slice: Range<Int>?
        AnnexB.forEachUnit(in: picture) { range in
            guard slice == nil else { return }
            let unit = UnsafeRawBufferPointer(rebasing: picture[range])
            switch picture[range.lowerBound] & 0x1F {
            case H264UnitType.sequenceParameterSet:
                hasSequenceSet = true
                sequence = H264SequenceParameterSet(unit)
            case H264UnitType.pictureParameterSet: hasPictureSet = true
            case H264UnitType.idrSlice: slice = range
            default: break
            }
        }
        if hasSequenceSet, hasPictureSet { return ([], sequence.map { ($0.width, $0.height) }) }
        guard let slice, let sets = sets(forSlice: UnsafeRawBufferPointer(rebasing: picture[slice])) else {
            return nil
        }
        var prefix: [UInt8] = []
        prefix.reserveCapacity(sets.sequence.count + sets.picture.count + 8)
        prefix.appendStartCode()
        prefix += sets.sequence
        prefix.appendStartCode()
        prefix += sets.picture
        let kept = sets.sequence.withUnsafeBytes { H264SequenceParameterSet($0) }
        return (prefix, kept.map { ($0.width, $0.height) })
    }

    /// The sequence and picture parameter sets of the slice `unit`, a NAL unit with its header byte or its beginning,
    /// as NAL units.
    ///
    /// - Returns: `nil` when one of them never arrived.
    func sets(forSlice unit: UnsafeRawBufferPointer) -> (sequence: [UInt8], picture: [UInt8])? {
        // first_mb_in_slice, slice_type, pic_parameter_set_id (ITU-T H.264, section 7.3.3)
        var bits = H264BitReader(UnsafeRawBufferPointer(rebasing: unit.dropFirst()))
        guard bits.readUnsigned() != nil, bits.readUnsigned() != nil, let id = bits.readUnsigned(),
            let picture = pictureSets.first(where: { $0.id == id }),
            let sequence = sequenceSets.first(where: { $0.id == picture.sequenceID })
        else { return nil }
        return (sequence.unit, picture.unit)
    }

    private static func keep(_ entry: Entry, _ unit: UnsafeRawBufferPointer, in entries: inout [Entry]) {
        if let index = entries.firstIndex(where: { $0.id == entry.id }) {
            // Usually it is a repetition, which must not allocate.
            guard entries[index].sequenceID != entry.sequenceID || !entries[index].unit.elementsEqual(unit) else {
                return
            }
            entries.remove(at: index)
        } else if entries.count == maximumCount {
            entries.removeFirst()
        }
        var entry = entry
        entry.unit = [UInt8](unit)
        entries.append(entry)
    }
}

/// The information in a sequence parameter set about a stream's pictures (ITU-T H.264, section 7.3.2.1.1).
struct H264SequenceParameterSet: Sendable, Hashable {
    var id: UInt32
    /// The profile and level; `nil` for an unknown profile.
    var profileLevel: H264ProfileLevel?
    /// The size in pixels after cropping.
    var width: Int
    var height: Int

    /// Parses a NAL unit with its header byte.
    init?(_ unit: UnsafeRawBufferPointer) {
        guard unit.count >= 5, unit[0] & 0x1F == H264UnitType.sequenceParameterSet else { return nil }
        let profileIDC = unit[1]
        profileLevel = H264ProfileLevel(profileIDC: profileIDC, constraints: unit[2], levelIDC: unit[3])
        var bits = H264BitReader(UnsafeRawBufferPointer(rebasing: unit.dropFirst(4)))
        guard let id = bits.readUnsigned(), id <= 31 else { return nil }
        self.id = id
        var chromaFormat: UInt32 = 1
        if Self.profilesWithChromaFormat.contains(profileIDC) {
            guard let format = bits.readUnsigned(), format <= 3 else { return nil }
            chromaFormat = format
            if format == 3, bits.readBit() == nil { return nil }
            guard bits.readUnsigned() != nil, bits.readUnsigned() != nil, bits.readBit() != nil,
                let hasMatrices = bits.readBit()
            else { return nil }
            if hasMatrices == 1 {
                guard Self.skipScalingMatrices(&bits, count: format == 3 ? 12 : 8) else { return nil }
            }
        }
        guard bits.readUnsigned() != nil, let orderType = bits.readUnsigned(), Self.skipOrder(&bits, orderType),
            bits.readUnsigned() != nil, bits.readBit() != nil, let columns = bits.readUnsigned(), columns < 1_024,
            let rows = bits.readUnsigned(), rows < 1_024, let hasFramesOnly = bits.readBit()
        else { return nil }
        if hasFramesOnly == 0, bits.readBit() == nil { return nil }
        guard bits.readBit() != nil, let isCropped = bits.readBit() else { return nil }
        width = (Int(columns) + 1) * 16
        height = (Int(rows) + 1) * 16 * (hasFramesOnly == 1 ? 1 : 2)
        if isCropped == 1 {
            guard let left = bits.readUnsigned(), let right = bits.readUnsigned(), let top = bits.readUnsigned(),
                let bottom = bits.readUnsigned(), max(left, right, top, bottom) < 16_384
            else { return nil }
            let unitWidth = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
            let unitHeight = (chromaFormat == 1 ? 2 : 1) * (hasFramesOnly == 1 ? 1 : 2)
            width -= (Int(left) + Int(right)) * unitWidth
            height -= (Int(top) + Int(bottom)) * unitHeight
            guard width > 0, height > 0 else { return nil }
        }
    }

    private static let profilesWithChromaFormat: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134]

    private static func skipScalingMatrices(_ bits: inout H264BitReader, count: Int) -> Bool {
        for index in 0..<count {
            guard let isPresent = bits.readBit() else { return false }
            guard isPresent == 1 else { continue }
            var last: Int32 = 8, next: Int32 = 8
            for _ in 0..<(index < 6 ? 16 : 64) {
                if next != 0 {
                    guard let delta = bits.readSigned() else { return false }
                    next = (last &+ delta &+ 256) & 0xFF
                }
                if next != 0 { last = next }
            }
        }
        return true
    }

    /// Skips the fields for the picture order count.
    private static func skipOrder(_ bits: inout H264BitReader, _ type: UInt32) -> Bool {
        switch type {
        case 0: return bits.readUnsigned() != nil
        case 1:
            guard bits.readBit() != nil, bits.readSigned() != nil, bits.readSigned() != nil,
                let count = bits.readUnsigned(), count <= 255
            else { return false }
            for _ in 0..<count where bits.readSigned() == nil { return false }
            return true
        case 2: return true
        default: return false
        }
    }
}

/// Reads bits and Exp-Golomb numbers of a NAL unit, skipping emulation prevention bytes (ITU-T H.264, sections 7.4.1.1
/// and 9.1). Every read returns `nil` past the end.
struct H264BitReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var current: UInt8 = 0
    private var bitsLeft = 0
    private var zeros = 0

    /// - Parameter bytes: A NAL unit without its header byte; alive while the reader is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func readBit() -> UInt32? {
        if bitsLeft == 0 {
            guard offset < bytes.count else { return nil }
            if zeros >= 2, bytes[offset] == 3 {
                offset += 1
                zeros = 0
                guard offset < bytes.count else { return nil }
            }
            current = bytes[offset]
            zeros = current == 0 ? zeros + 1 : 0
            offset += 1
            bitsLeft = 8
        }
        bitsLeft -= 1
        return UInt32(current >> UInt8(bitsLeft) & 1)
    }

    /// ue(v)
    mutating func readUnsigned() -> UInt32? {
        var length = 0
        while true {
            guard let bit = readBit() else { return nil }
            if bit == 1 { break }
            length += 1
            guard length < 32 else { return nil }
        }
        var rest: UInt32 = 0
        for _ in 0..<length {
            guard let bit = readBit() else { return nil }
            rest = rest << 1 | bit
        }
        return (1 << UInt32(length)) &- 1 &+ rest
    }

    /// se(v)
    mutating func readSigned() -> Int32? {
        guard let number = readUnsigned() else { return nil }
        let magnitude = Int32(truncatingIfNeeded: (number >> 1) &+ (number & 1))
        return number & 1 == 1 ? magnitude : 0 &- magnitude
    }
}
