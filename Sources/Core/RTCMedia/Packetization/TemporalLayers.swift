/// The layers of a video stream (W3C webrtc-svc, `scalabilityMode`): one spatial layer, and one to three temporal layers.
///
/// The frames of a temporal layer refer only to their own layer and to lower ones. So the base layer alone is video of
/// half or a quarter of the frame rate, and a lost frame of a higher layer does not affect it.
public enum ScalabilityMode: String, Sendable, Hashable, CaseIterable {
    case l1t1 = "L1T1"
    case l1t2 = "L1T2"
    case l1t3 = "L1T3"

    /// 1 to 3
    @usableFromInline package var temporalLayerCount: Int {
        switch self {
        case .l1t1: 1
        case .l1t2: 2
        case .l1t3: 3
        }
    }

    /// The layer of the frame at `position` after a key frame, which is position 0; `nil` without layers.
    ///
    /// L1T2 alternates between both layers, as 0 1. L1T3 repeats 0 2 1 2, where the last frame refers to the one before.
    @usableFromInline package func layer(at position: Int) -> TemporalLayer? {
        switch self {
        case .l1t1: nil
        case .l1t2: position % 2 == 0 ? .base : TemporalLayer(index: 1, isSync: true, isDiscardable: true)
        case .l1t3:
            switch position % 4 {
            case 0: .base
            case 2: TemporalLayer(index: 1, isSync: true, isDiscardable: false)
            case let step: TemporalLayer(index: 2, isSync: step == 1, isDiscardable: true)
            }
        }
    }
}

/// The temporal layer of a frame, and the frame's role in it.
@usableFromInline package struct TemporalLayer: Sendable, Hashable {
    /// The temporal layer's number (TID), 0 for the base layer.
    @usableFromInline package var index: UInt8
    /// Whether the frame is of a higher layer and refers to the base layer only. Otherwise it refers to the newest frame
    /// of the layer below, too.
    @usableFromInline package var isSync: Bool
    /// Whether no other frame refers to this one.
    @usableFromInline package var isDiscardable: Bool

    @usableFromInline package init(index: UInt8, isSync: Bool, isDiscardable: Bool) {
        self.index = index
        self.isSync = isSync
        self.isDiscardable = isDiscardable
    }

    /// A frame of the base layer, which refers to the one before it in that layer.
    @usableFromInline package static let base = TemporalLayer(index: 0, isSync: false, isDiscardable: false)
}
