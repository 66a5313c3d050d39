public import RTCWire

/// The clockwise rotations that make the frames of a camera upright.
///
/// They depend on four things: the mounting of the sensor, the orientation of the device, the orientation of the user
/// interface, and the position of the camera.
///
/// | | telephone's back camera, mounted at 90° | preview | capture |
/// | --- | --- | --- | --- |
/// | held in portrait | interface in portrait | 90° | 90° |
/// | held in the sensor's native landscape | interface stays in portrait | 90° | 0° |
/// | held in the sensor's native landscape | interface turns too | 0° | 0° |
public struct RotationAngles: Sendable, Hashable {
    /// The rotation for the local preview, which is applied to its layer or widget, and not to the frames.
    public var preview: VideoRotation
    /// The rotation for the peer, photos and recordings: it is sent with the frames, and stored as orientation or track
    /// transform.
    public var capture: VideoRotation

    package init(preview: VideoRotation, capture: VideoRotation) {
        self.preview = preview
        self.capture = capture
    }

    /// Returns the clockwise rotation of the screen from the orientation in which its interface is upright. It is the
    /// difference of the two rotations, whose sign depends on mirroring.
    ///
    /// - Parameter isMirrored: Whether ``preview`` is meant for a mirrored preview.
    public func screen(isMirrored: Bool) -> VideoRotation { isMirrored ? preview - capture : capture - preview }

    /// Computes the rotations.
    ///
    /// - Parameters:
    ///   - mounting: The rotation that makes the sensor's frames upright while the device is in its natural
    ///     orientation.
    ///   - position: The position of the camera. A camera with position `unspecified` does not rotate with the device.
    ///   - device: The clockwise rotation of the device from its natural orientation.
    ///   - interface: The clockwise rotation of the device with which the user interface is upright; `nil` for an
    ///     interface on a separate screen, which does not rotate with the device.
    ///   - isMirrored: Whether the preview is mirrored, after rotation.
    package init(
        mounting: VideoRotation, position: MediaDevice.Position, device: VideoRotation, interface: VideoRotation?,
        isMirrored: Bool
    ) {
        // For a camera that faces the person, the device rotates in the opposite direction.
        capture =
            switch position {
            case .back: mounting + device
            case .front: mounting - device
            case .unspecified: mounting
            }
        // The layer rotates with its screen.
        let screen = interface.map { device - $0 } ?? .none
        preview = isMirrored ? capture + screen : capture - screen
    }

    /// Computes the rotations of a camera with its default mirroring.
    ///
    /// - Parameters:
    ///   - device: The orientation of the device. `nil`, or flat on a table, counts as the orientation of the
    ///     interface.
    ///   - interface: The orientation of the user interface; `nil` for an interface on a separate screen.
    package init(
        for camera: MediaDevice, device: DeviceOrientation?, interface: InterfaceOrientation?,
        isMirrored: Bool? = nil
    ) {
        self.init(
            mounting: camera.mounting, position: camera.position,
            device: device?.rotation ?? interface?.rotation ?? .none, interface: interface?.rotation,
            isMirrored: isMirrored ?? camera.isPreviewMirroredByDefault)
    }
}

extension MediaDevice {
    /// Whether a preview of this camera is mirrored by default, as people expect of cameras that do not face away from
    /// them. Offer a switch for HDMI capture devices, and cameras that show something else. Frames that are sent or
    /// stored are never mirrored.
    package var isPreviewMirroredByDefault: Bool { position != .back }
}

extension VideoRotation {
    /// Adds two rotations.
    package static func + (left: VideoRotation, right: VideoRotation) -> VideoRotation {
        VideoRotation(quarters: Int(left.rawValue) + Int(right.rawValue))
    }

    /// Subtracts a rotation.
    package static func - (left: VideoRotation, right: VideoRotation) -> VideoRotation {
        VideoRotation(quarters: Int(left.rawValue) - Int(right.rawValue))
    }

    /// Creates the multiple of 90° that is nearest to a clockwise angle; `none` for NaN and infinity.
    package init(nearestToDegrees degrees: Double) {
        let quarters = (degrees / 90).rounded()
        self.init(quarters: quarters.isFinite ? Int(quarters.remainder(dividingBy: 4)) : 0)
    }

    private init(quarters: Int) {
        self = VideoRotation(rawValue: UInt8((quarters % 4 + 4) % 4)) ?? .none
    }
}
