#if os(Linux)
    import CVPX
    import RTCMedia

    /// The position in the pattern of temporal layers, and what it means for libvpx.
    struct VPXLayers {
        /// The number of frames of the base layer between two golden frames.
        private static let goldenInterval = 8

        let mode: ScalabilityMode
        private var position = 0
        private var baseFrames = 0

        init(mode: ScalabilityMode) {
            self.mode = mode
        }

        /// The layer of the next frame; `nil` without layers.
        var next: TemporalLayer? { mode.layer(at: position) }

        /// The flags for a frame of `layer`.
        func references(of layer: TemporalLayer?) -> UInt {
            guard let layer else { return 0 }
            return cvpx_references(
                Int32(layer.index), layer.isSync ? 1 : 0, layer.isDiscardable ? 1 : 0,
                baseFrames % Self.goldenInterval == 0 ? 1 : 0)
        }

        /// Notes that a frame of `layer` was encoded.
        mutating func advance(past layer: TemporalLayer?) {
            position += 1
            if layer?.index == 0 { baseFrames += 1 }
        }
    }

    extension ScalabilityMode {
        /// The part of the bitrate that each layer takes together with those below. Measured: with less for the base
        /// layer, the whole is worse; with more, the frames of the higher layers are visibly worse than their neighbours.
        private var shares: [Double] {
            switch self {
            case .l1t1: [1, 1, 1]
            case .l1t2: [0.75, 1, 1]
            case .l1t3: [0.5, 0.75, 1]
            }
        }

        /// The bitrate of each layer together with those below, in kbit/s.
        func bitrates(of kilobits: UInt32) -> [UInt32] { shares.map { UInt32(Double(kilobits) * $0) } }

        /// The size of an average frame of the base layer, in average frames.
        var baseFrameSize: Double { shares[0] * Double(1 << (temporalLayerCount - 1)) }
    }
#endif
