import RTCWire

/// What a camera takes a photo with, of what was wanted.
///
/// The framework raises an exception for a format, a flash, an effort, a size, a turn or a mirror that its output does not have.
struct PhotoPlan: Sendable, Hashable {
    /// What an output says that it has.
    struct Output: Sendable, Hashable {
        /// Whether the camera delivers to it.
        var isConnected: Bool
        var formats: Set<Photo.Format>
        var flashes: Set<PhotoSettings.Flash>
        var mostEffort: PhotoSettings.Effort
        /// Empty where it does not say.
        var sizes: [Photo.Size]
        /// What the output was made ready for: nothing larger may be asked for. `nil` if all of them may be.
        var largest: Photo.Size?
        var turns: Set<VideoRotation>
        var mirrors: Bool
    }

    var format: Photo.Format
    var flash: PhotoSettings.Flash
    var effort: PhotoSettings.Effort
    /// `nil` for what the output makes by itself.
    var size: Photo.Size?
    /// `nil` where the output does not turn.
    var rotation: VideoRotation?
    /// `nil` where the output does not mirror.
    var isMirrored: Bool?

    /// - Parameter rotation: How far pictures are to be turned clockwise, so that they are level.
    /// - Throws: ``DeviceError`` `unsupported` for a flash that has to be and a camera without one, or for a mirrored photo of what
    ///   cannot mirror; `failed` while nothing is delivered.
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
        effort = min(wanted.effort, output.mostEffort)
        let sizes = output.sizes.filter { size in output.largest.map { size.fits($0) } ?? true }
        size = Self.size(wanted.size, of: sizes)
        self.rotation = output.turns.contains(rotation) ? rotation : nil
        isMirrored = output.mirrors ? wanted.isMirrored : nil
    }

    /// What an output is to be made ready for, as is done anew with each format of the camera.
    ///
    /// - Parameters:
    ///   - ready: What it is ready for.
    ///   - sizes: Those of the camera's format; an output takes no other one.
    /// - Returns: `nil` where nothing is to be done: making it ready is a long pause in the pictures.
    static func preparation(of ready: Photo.Size, for sizes: [Photo.Size]) -> Photo.Size? {
        guard let largest = sizes.max(by: { $0.area < $1.area }), largest != ready else { return nil }
        return largest
    }

    /// How viewers turn the photo then.
    var orientation: ExifOrientation { ExifOrientation(rotation ?? .none, isMirrored: isMirrored ?? false) }

    /// The smallest that is large enough, or else the largest.
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
    /// Of a camera whose photos are its pictures.
    static func pictures(width: Int, height: Int) -> PhotoPlan.Output {
        PhotoPlan.Output(
            isConnected: true, formats: [.jpeg], flashes: [.off], mostEffort: .speed,
            sizes: [Photo.Size(width: width, height: height)], turns: Set(VideoRotation.allCases), mirrors: true)
    }
}
