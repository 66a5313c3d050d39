/// The pattern of layers and references that the pictures of a VP9 stream in non-flexible mode repeat, beginning with the
/// key frame that announces it ([RFC 9628, section 4.2.1](https://www.rfc-editor.org/rfc/rfc9628#section-4.2.1)).
///
/// Patterns of up to eight pictures that refer back by up to eight are kept; encoders use no others.
package struct VP9PictureGroup: Sendable, Hashable {
    static let longest = 8

    private(set) var count = 0
    /// Four bits for the temporal layer of each picture, and a bit for each distance that it refers back by.
    private var layers: UInt32 = 0
    private var distances: UInt64 = 0

    init() {}

    /// - Returns: `false` if the group is too long.
    mutating func append(temporalLayer: UInt8) -> Bool {
        guard count < Self.longest else { return false }
        layers |= UInt32(temporalLayer & 0x07) << UInt32(count * 4)
        count += 1
        return true
    }

    /// Adds a reference of the last picture.
    ///
    /// - Returns: `false` if it goes back too far, or to the picture itself.
    mutating func appendReference(_ distance: UInt8) -> Bool {
        guard count > 0, distance >= 1, distance <= Self.longest else { return false }
        distances |= 1 << UInt64((count - 1) * 8 + Int(distance) - 1)
        return true
    }

    /// The references of the picture at `index`, if it is of `temporalLayer`.
    func references(at index: Int, temporalLayer: UInt8) -> VideoPayloadDescriptor.References? {
        guard index >= 0, index < count, layers >> UInt32(index * 4) & 0x0F == UInt32(temporalLayer) else { return nil }
        var references = VideoPayloadDescriptor.References()
        let mask = UInt8(truncatingIfNeeded: distances >> UInt64(index * 8))
        for distance in 1...UInt8(Self.longest) where mask >> (distance - 1) & 1 == 1 {
            switch references.count {
            case 0: references.first = distance
            case 1: references.second = distance
            default: references.third = distance
            }
            references.count = min(references.count + 1, 3)
        }
        return references
    }
}
