/// Decides which frames can be decoded next, by the reference information in the packets.
///
/// - A key frame always can.
/// - A frame that directly follows the last one can, by sequence number or by picture ID, which is more reliable: a
///   lost padding packet is a gap in sequence numbers only.
/// - VP9 in flexible mode lists the references of a frame. In the other mode, a key frame may announce the references that
///   the frames after it repeat; they are used for the higher temporal layers, while each frame is of the layer announced.
/// - With temporal layers, a frame of the lowest layer needs the one before in its layer, which TL0PICIDX counts (RFC
///   7741, section 4.2; RFC 9628, section 4.2); a loss in a higher layer affects that layer only.
struct VideoFrameOrder: Sendable {
    enum Verdict {
        /// - Parameter isSkip: Whether earlier frames would be skipped for good.
        case decodable(isSkip: Bool)
        /// Missing references may still arrive.
        case waiting
        /// A reference was skipped.
        case never
    }

    private var last: Last?
    /// The lowest temporal layer with a skipped frame; frames from there up need a layer switching point.
    private var brokenLayer: UInt8 = .max
    /// Whether each of the last 128 frames was decoded, starting with the last.
    private var decoded: (recent: UInt64, older: UInt64) = (0, 0)
    /// The pattern that the last key frame announced, and the last frame's index in it.
    private var group: VP9PictureGroup?
    private var groupIndex = 0

    private struct Last {
        var format: PayloadFormat
        var pictureID: UInt16?
        var pictureIDBits: UInt8
        var baseLayerIndex: UInt8?
    }

    /// Whether only a key frame can be next.
    var needsKeyFrame: Bool { last == nil }

    mutating func reset() {
        last = nil
    }

    /// - Parameter isDirectlyNext: Whether no packet is missing between the last frame and this one.
    func verdict(of frame: CompleteVideoFrame, isDirectlyNext: Bool) -> Verdict {
        if frame.isKeyFrame { return .decodable(isSkip: last != nil && !isDirectlyNext && distance(to: frame) != 1) }
        guard let last, last.format == frame.format else { return .waiting }
        let layer = frame.descriptor.temporalLayer ?? 0
        let isBroken = layer > 0 && layer >= brokenLayer && !isEntry(frame)
        guard let distance = distance(to: frame) else {
            return isDirectlyNext ? (isBroken ? .never : .decodable(isSkip: false)) : .waiting
        }
        if let references = frame.descriptor.references ?? groupReferences(of: frame, distance), references.count > 0 {
            return verdict(references, distance: distance, isDirectlyNext: isDirectlyNext)
        }
        if isBroken { return .never }
        if isDirectlyNext || distance == 1 { return .decodable(isSkip: false) }
        // The picture ID goes backwards while sequence numbers do not: undecidable.
        guard distance > 0 else { return .never }
        guard let base = frame.descriptor.baseLayerIndex, let lastBase = last.baseLayerIndex,
            frame.descriptor.temporalLayer != nil
        else { return .waiting }
        let steps = Int8(bitPattern: base &- lastBase)
        if layer == 0 {
            return steps == 1 ? .decodable(isSkip: true) : steps > 1 ? .waiting : .never
        }
        if steps == 0, isEntry(frame) { return .decodable(isSkip: true) }
        return steps < 0 ? .never : .waiting
    }

    /// Notes that `frame` goes to the decoder.
    mutating func deliver(_ frame: CompleteVideoFrame, isDirectlyNext: Bool) {
        let distance = distance(to: frame)
        let descriptor = frame.descriptor
        let layer = descriptor.temporalLayer ?? 0
        if frame.isKeyFrame {
            brokenLayer = .max
            decoded = (1, 0)
            group = descriptor.references == nil ? descriptor.pictureGroup : nil
            groupIndex = 0
        } else {
            advanceGroup(by: distance)
            if !isDirectlyNext, distance != 1 { brokenLayer = min(brokenLayer, 1) }
            noteDecoded(distance: distance ?? 1)
        }
        if descriptor.isLayerSwitch {
            switch frame.format {
            // Y: this frame depends on the lowest layer only, so its own layer is intact again.
            case .vp8: if layer == brokenLayer { brokenLayer += 1 }
            // U: later frames of higher layers do not depend on anything before this frame.
            default: if layer < brokenLayer { brokenLayer = .max }
            }
        }
        var base = descriptor.baseLayerIndex
        if layer > 0, !frame.isKeyFrame { base = last?.baseLayerIndex ?? base }
        last = Last(
            format: frame.format, pictureID: descriptor.pictureID, pictureIDBits: descriptor.pictureIDBits,
            baseLayerIndex: base)
    }

    /// Notes that the next frame is skipped.
    mutating func skip(_ frame: CompleteVideoFrame) {
        guard let last, let distance = distance(to: frame), distance > 0 else { return }
        brokenLayer = min(brokenLayer, max(frame.descriptor.temporalLayer ?? 0, 1))
        advanceGroup(by: distance)
        noteDecoded(distance: distance)
        decoded.recent &= ~1
        self.last?.pictureID = frame.descriptor.pictureID
        self.last?.pictureIDBits = frame.descriptor.pictureIDBits
        self.last?.baseLayerIndex = last.baseLayerIndex
    }

    /// The references of a frame of a higher layer by the announced pattern; `nil` if it does not follow one.
    private func groupReferences(
        of frame: CompleteVideoFrame, _ distance: Int
    ) -> VideoPayloadDescriptor.References? {
        guard let group, distance > 0, let layer = frame.descriptor.temporalLayer, layer > 0,
            frame.descriptor.baseLayerIndex != nil
        else { return nil }
        return group.references(at: (groupIndex + distance) % group.count, temporalLayer: layer)
    }

    private mutating func advanceGroup(by distance: Int?) {
        guard let group else { return }
        // Without a picture ID, or with an older one, the position in the pattern is lost.
        guard let distance, distance > 0 else { return self.group = nil }
        groupIndex = (groupIndex + distance) % group.count
    }

    private func isEntry(_ frame: CompleteVideoFrame) -> Bool {
        frame.format == .vp8 && frame.descriptor.isLayerSwitch
    }

    /// The number of frames from the last one to `frame`; `nil` without picture IDs.
    private func distance(to frame: CompleteVideoFrame) -> Int? {
        guard let last, let old = last.pictureID, let new = frame.descriptor.pictureID,
            last.pictureIDBits == frame.descriptor.pictureIDBits
        else { return nil }
        let shift = 16 - UInt16(last.pictureIDBits)
        return Int(Int16(bitPattern: (new &- old) << shift) >> Int16(shift))
    }

    private func verdict(
        _ references: VideoPayloadDescriptor.References, distance: Int, isDirectlyNext: Bool
    ) -> Verdict {
        guard distance > 0 else { return isDirectlyNext ? .decodable(isSkip: false) : .never }
        for index in 0..<references.count {
            let back = Int(index == 0 ? references.first : index == 1 ? references.second : references.third)
            // The distance back from the last frame.
            let age = back - distance
            if age < 0 {
                // The reference lies between the last frame and this one: it may arrive, unless there is nothing
                // between them.
                guard !isDirectlyNext else { return .never }
                return .waiting
            }
            guard wasDecoded(age) else { return .never }
        }
        return .decodable(isSkip: distance != 1 && !isDirectlyNext)
    }

    private func wasDecoded(_ age: Int) -> Bool {
        switch age {
        case 0..<64: decoded.recent >> UInt64(age) & 1 == 1
        case 64..<128: decoded.older >> UInt64(age - 64) & 1 == 1
        default: false
        }
    }

    private mutating func noteDecoded(distance: Int) {
        switch distance {
        case 1..<64:
            let shift = UInt64(distance)
            decoded.older = decoded.older << shift | decoded.recent >> (64 - shift)
            decoded.recent = decoded.recent << shift | 1
        case 64..<128:
            decoded.older = decoded.recent << UInt64(distance - 64)
            decoded.recent = 1
        default:
            decoded = (1, 0)
        }
    }
}
