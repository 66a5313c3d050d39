/// The clockwise rotation of a frame for display, in quarter turns (3GPP TS 26.114, section 7.4.5).
@frozen
public enum VideoRotation: UInt8, Sendable, Hashable, CaseIterable {
    case none, clockwise90, clockwise180, clockwise270

    /// 0, 90, 180 or 270
    public var degrees: Int { Int(rawValue) * 90 }
}
