public import RTCWire

/// How pictures of a camera are to be turned, clockwise, so that they are level.
///
/// It is worked out from four things: how the sensor sits in the machine, how the machine is held, how the user interface lies
/// on its screen, and where the camera looks.
///
/// | | telephone's back camera, mounted at 90° | preview | capture |
/// | --- | --- | --- | --- |
/// | held in portrait | interface in portrait | 90° | 90° |
/// | held in the sensor's native landscape | interface stays in portrait | 90° | 0° |
/// | held in the sensor's native landscape | interface turns too | 0° | 0° |
public struct RotationAngles: Sendable, Hashable {
    /// For what is shown while it is captured: by turning the layer or the widget that shows it, at once, and not the pictures.
    public var preview: VideoRotation
    /// For what others see, now or later: a call sends it with the frames, a photo keeps it as its orientation, a film as its
    /// transform.
    public var capture: VideoRotation

    public init(preview: VideoRotation, capture: VideoRotation) {
        self.preview = preview
        self.capture = capture
    }

    /// How far the screen is turned clockwise from where its interface is upright. It is what the two angles differ by, one way
    /// round in a mirror and the other way round without.
    ///
    /// - Parameter isMirrored: Whether ``preview`` is meant for a preview as in a mirror.
    public func screen(isMirrored: Bool) -> VideoRotation { isMirrored ? preview - capture : capture - preview }

    /// - Parameters:
    ///   - mounting: The turn that makes the sensor's pictures upright while the machine is held as it is meant to be. Of a camera
    ///     that stands alone, while that stands as it is meant to.
    ///   - position: Where the camera looks. What is `unspecified` does not turn with the machine.
    ///   - device: How far the machine is turned clockwise from the way in which it is meant to be held.
    ///   - interface: How far it is turned when the user interface is upright; `nil` for an interface on a screen of its own,
    ///     which does not turn with the machine either.
    ///   - isMirrored: Whether the preview is shown as in a mirror, after it is turned.
    public init(
        mounting: VideoRotation, position: MediaDevice.Position, device: VideoRotation, interface: VideoRotation?,
        isMirrored: Bool
    ) {
        // Seen from a camera that looks to the person, the machine turns the other way round.
        capture =
            switch position {
            case .back: mounting + device
            case .front: mounting - device
            case .unspecified: mounting
            }
        // The layer turns with the screen that it is on.
        let screen = interface.map { device - $0 } ?? .none
        preview = isMirrored ? capture + screen : capture - screen
    }

    /// The same of a camera, mirrored as it is by default.
    ///
    /// - Parameters:
    ///   - device: `nil`, or flat on a table, is taken for held as the interface lies.
    ///   - interface: `nil` for an interface on a screen of its own.
    public init(
        for camera: MediaDevice, device: DeviceOrientation?, interface: InterfaceOrientation?,
        isMirrored: Bool? = nil
    ) {
        self.init(
            mounting: camera.mounting, position: camera.position,
            device: device?.turn ?? interface?.turn ?? .none, interface: interface?.turn,
            isMirrored: isMirrored ?? camera.isPreviewMirroredByDefault)
    }
}

extension MediaDevice {
    /// Whether people expect to see pictures of this camera as in a mirror: all but what looks away from them. An app has a
    /// switch for it, for HDMI switchers and cameras that show something else than the person. What is sent or stored is never
    /// mirrored.
    public var isPreviewMirroredByDefault: Bool { position != .back }
}

extension VideoRotation {
    /// One turn after the other.
    public static func + (left: VideoRotation, right: VideoRotation) -> VideoRotation {
        VideoRotation(quarters: Int(left.rawValue) + Int(right.rawValue))
    }

    /// The turn that is left when one is turned back.
    public static func - (left: VideoRotation, right: VideoRotation) -> VideoRotation {
        VideoRotation(quarters: Int(left.rawValue) - Int(right.rawValue))
    }

    /// The quarter that is nearest to an angle, clockwise; what is no number is none.
    public init(nearestToDegrees degrees: Double) {
        let quarters = (degrees / 90).rounded()
        self.init(quarters: quarters.isFinite ? Int(quarters.remainder(dividingBy: 4)) : 0)
    }

    private init(quarters: Int) {
        self = VideoRotation(rawValue: UInt8((quarters % 4 + 4) % 4)) ?? .none
    }
}
