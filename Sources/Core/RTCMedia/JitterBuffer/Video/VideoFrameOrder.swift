/// Which pictures can be decoded after those that were, by what the packets say of references.
///
/// - A key frame always can.
/// - A picture that follows the last one without a gap can, by sequence number or by picture id, which knows better: a
///   lost padding packet is a gap in the former only.
/// - VP9 in flexible mode names the pictures that one refers to.
/// - With temporal layers, a picture of the lowest layer needs the one before in its layer, which TL0PICIDX counts
///   (RFC 7741, section 4.2; RFC 9628, section 4.2); what was lost in a higher layer costs that layer alone.
struct VideoFrameOrder: Sendable {
    enum Verdict {
        /// - Parameter isSkip: Whether something before it would never be shown.
        case decodable(isSkip: Bool)
        /// What it needs may still come.
        case waiting
        /// What it needs has been passed over.
        case never
    }

    private var last: Last?
    /// The lowest temporal layer in which something was missed; pictures from there up need a point of entry.
    private var brokenLayer: UInt8 = .max
    /// Whether each of the 128 pictures before the last one was decoded, beginning with the last one itself.
    private var decoded: (recent: UInt64, older: UInt64) = (0, 0)

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

    /// - Parameter isDirectlyNext: Whether no packet is missing between the last picture and this one.
    func verdict(of frame: CompleteVideoFrame, isDirectlyNext: Bool) -> Verdict {
        if frame.isKeyFrame { return .decodable(isSkip: last != nil && !isDirectlyNext && distance(to: frame) != 1) }
        guard let last, last.format == frame.format else { return .waiting }
        let layer = frame.descriptor.temporalLayer ?? 0
        let isBroken = layer > 0 && layer >= brokenLayer && !isEntry(frame)
        guard let distance = distance(to: frame) else {
            return isDirectlyNext ? (isBroken ? .never : .decodable(isSkip: false)) : .waiting
        }
        if let references = frame.descriptor.references, references.count > 0 {
            return verdict(references, distance: distance, isDirectlyNext: isDirectlyNext)
        }
        if isBroken { return .never }
        if isDirectlyNext || distance == 1 { return .decodable(isSkip: false) }
        // An id that goes backwards, in a stream whose packets do not: nothing can be said.
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
        } else {
            if !isDirectlyNext, distance != 1 { brokenLayer = min(brokenLayer, 1) }
            noteDecoded(distance: distance ?? 1)
        }
        if descriptor.isLayerSwitch {
            switch frame.format {
            // Y: this picture needs the lowest layer only; with it, its own layer is whole again.
            case .vp8: if layer == brokenLayer { brokenLayer += 1 }
            // U: what comes later in the layers above needs nothing that was before this picture.
            default: if layer < brokenLayer { brokenLayer = .max }
            }
        }
        var base = descriptor.baseLayerIndex
        if layer > 0, !frame.isKeyFrame { base = last?.baseLayerIndex ?? base }
        last = Last(
            format: frame.format, pictureID: descriptor.pictureID, pictureIDBits: descriptor.pictureIDBits,
            baseLayerIndex: base)
    }

    /// Notes that `frame`, the next one, is passed over.
    mutating func skip(_ frame: CompleteVideoFrame) {
        guard let last, let distance = distance(to: frame), distance > 0 else { return }
        brokenLayer = min(brokenLayer, max(frame.descriptor.temporalLayer ?? 0, 1))
        noteDecoded(distance: distance)
        decoded.recent &= ~1
        self.last?.pictureID = frame.descriptor.pictureID
        self.last?.pictureIDBits = frame.descriptor.pictureIDBits
        self.last?.baseLayerIndex = last.baseLayerIndex
    }

    private func isEntry(_ frame: CompleteVideoFrame) -> Bool {
        frame.format == .vp8 && frame.descriptor.isLayerSwitch
    }

    /// How many pictures `frame` is behind the last one; `nil` when they have no ids.
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
            // Seen from the last picture.
            let age = back - distance
            if age < 0 {
                // Between the last one and this one: it may come, unless there is nothing between them.
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
