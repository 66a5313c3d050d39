import RTCWire

/// The settings with which a camera takes a requested photo.
///
/// The framework raises an exception for any format, flash, quality, size, rotation or mirroring that its output does
/// not support.
struct PhotoPlan: Sendable, Hashable {
    /// The capabilities that an output reports.
    struct Output: Sendable, Hashable {
        /// Whether the camera delivers to it.
        var isConnected: Bool
        var formats: Set<Photo.Format>
        var flashes: Set<PhotoSettings.Flash>
        var maxQualityPrioritization: PhotoSettings.QualityPrioritization
        /// Empty if the output does not report them.
        var sizes: [Photo.Size]
        /// The size that the output was prepared for: no larger photo can be requested. `nil` if every size can be.
        var largest: Photo.Size?
        var turns: Set<VideoRotation>
        var mirrors: Bool
    }

    var format: Photo.Format
    var flash: PhotoSettings.Flash
    var qualityPrioritization: PhotoSettings.QualityPrioritization
    /// `nil` for the output's default.
    var size: Photo.Size?
    /// `nil` if the output does not rotate.
    var rotation: VideoRotation?
    /// `nil` if the output does not mirror.
    var isMirrored: Bool?

    /// - Parameter rotation: The clockwise rotation that makes photos upright.
    /// - Throws: ``DeviceError`` `unsupported` if the flash is required and the camera has none, or if mirroring is
    ///   requested and the output cannot mirror; `failed` while the camera does not deliver.
    init(_ wanted: PhotoSettings, rotation: VideoRotation, of output: Output) throws(DeviceError) {
        guard output.isConnected else {
            throw DeviceError(.failed, "the camera does not deliver, so it takes no photo")
        }
        guard let format = [wanted.format, .jpeg, .heic].first(where: output.formats.contains) else {
            throw DeviceError(.unsupported, "the camera takes no photos")
        }
        if wanted.flash == .on, !output.flashes.contains(.on) {
            throw DeviceError(.unsupported, "the camera has no flash")
        }
        if wanted.isMirrored, !output.mirrors {
            throw DeviceError(.unsupported, "the camera does not mirror its photos")
        }
        self.format = format
        flash = output.flashes.contains(wanted.flash) ? wanted.flash : .off
        qualityPrioritization = min(wanted.qualityPrioritization, output.maxQualityPrioritization)
        let sizes = output.sizes.filter { size in output.largest.map { size.fits($0) } ?? true }
        size = Self.size(wanted.size, of: sizes)
        self.rotation = output.turns.contains(rotation) ? rotation : nil
        isMirrored = output.mirrors ? wanted.isMirrored : nil
    }

    /// The size that an output has to be prepared for, again after each change of the camera's format.
    ///
    /// - Parameters:
    ///   - ready: The size that it is prepared for.
    ///   - sizes: The photo sizes of the camera's format; an output accepts no other one.
    /// - Returns: `nil` if nothing has to be done: preparation pauses the video for long.
    static func preparation(of ready: Photo.Size, for sizes: [Photo.Size]) -> Photo.Size? {
        guard let largest = sizes.max(by: { $0.area < $1.area }), largest != ready else { return nil }
        return largest
    }

    /// The orientation to store for viewers.
    var orientation: ExifOrientation { ExifOrientation(rotation ?? .none, isMirrored: isMirrored ?? false) }

    /// The smallest size that is large enough; otherwise the largest.
    private static func size(_ wanted: Photo.Size?, of sizes: [Photo.Size]) -> Photo.Size? {
        let largest = sizes.max { $0.area < $1.area }
        guard let wanted else { return largest }
        return sizes.filter { wanted.fits($0) }.min { $0.area < $1.area } ?? largest
    }
}

extension Photo.Size {
    var area: Int { width * height }

    fileprivate func fits(_ other: Photo.Size) -> Bool { width <= other.width && height <= other.height }
}

extension PhotoPlan.Output {
    /// The output of a camera whose photos are frames of its video.
    static func pictures(width: Int, height: Int) -> PhotoPlan.Output {
        PhotoPlan.Output(
            isConnected: true, formats: [.jpeg], flashes: [.off], maxQualityPrioritization: .speed,
            sizes: [Photo.Size(width: width, height: height)], turns: Set(VideoRotation.allCases), mirrors: true)
    }
}
