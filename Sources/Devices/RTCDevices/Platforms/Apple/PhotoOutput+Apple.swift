#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import CoreMedia
    import Foundation
    import RTCWire
    import Synchronization

    /// The photo output of one camera's session.
    ///
    /// The framework does not retain delegates, so one object serves all photos; it is called on the framework's own
    /// queue.
    // The output is touched on the session's queue alone.
    final class PhotoOutput: NSObject, AVCapturePhotoCaptureDelegate, @unchecked Sendable {
        typealias Waiter = @Sendable (Result<Photo, DeviceError>) -> Void

        let output = AVCapturePhotoOutput()
        private let camera: MediaDevice
        private let underWay = Mutex(PhotosInProgress<Waiter>())

        init(of camera: MediaDevice) { self.camera = camera }

        /// Prepares the output after it was added to its session, and after each change of the camera's format. Photos
        /// cannot exceed what is set here; setting the same values again costs nothing.
        private func prepare(for format: AVCaptureDevice.Format) {
            if output.maxPhotoQualityPrioritization != .quality { output.maxPhotoQualityPrioritization = .quality }
            let sizes = format.supportedMaxPhotoDimensions.map { Photo.Size($0) }
            let ready = Photo.Size(output.maxPhotoDimensions)
            if let size = PhotoPlan.preparation(of: ready, for: sizes) { output.maxPhotoDimensions = size.dimensions }
        }

        func take(
            _ settings: PhotoSettings, _ rotation: VideoRotation, in format: AVCaptureDevice.Format,
            _ waiter: @escaping Waiter
        ) {
            prepare(for: format)
            let plan: PhotoPlan
            do throws(DeviceError) {
                plan = try PhotoPlan(settings, rotation: rotation, of: possibilities(format))
            } catch {
                return waiter(.failure(error))
            }
            if let connection = output.connection(with: .video) {
                if let angle = plan.rotation.map({ CGFloat($0.degrees) }),
                    connection.isVideoRotationAngleSupported(angle)
                {
                    connection.videoRotationAngle = angle
                }
                if let isMirrored = plan.isMirrored, connection.isVideoMirroringSupported {
                    connection.automaticallyAdjustsVideoMirroring = false
                    connection.isVideoMirrored = isMirrored
                }
            }
            // Photo settings can be used only once: reused ones raise an exception.
            let codec: AVVideoCodecType = plan.format == .heic ? .hevc : .jpeg
            let request = AVCapturePhotoSettings(format: [AVVideoCodecKey: codec])
            if output.supportedFlashModes.contains(plan.flash.mode) { request.flashMode = plan.flash.mode }
            request.photoQualityPrioritization = plan.qualityPrioritization.prioritization
            if let size = plan.size { request.maxPhotoDimensions = size.dimensions }
            underWay.withLock { $0.begin(request.uniqueID, plan, waiter) }
            output.capturePhoto(with: request, delegate: self)
        }

        /// Ends all photos, when the session ends.
        func end(_ error: DeviceError) {
            for one in underWay.withLock({ $0.endAll(error) }) { one.waiter(one.result) }
        }

        private func possibilities(_ format: AVCaptureDevice.Format) -> PhotoPlan.Output {
            let connection = output.connection(with: .video)
            let turns = VideoRotation.allCases.filter {
                connection?.isVideoRotationAngleSupported(CGFloat($0.degrees)) ?? false
            }
            let codecs = output.availablePhotoCodecTypes
            return PhotoPlan.Output(
                isConnected: connection.map { $0.isActive && $0.isEnabled } ?? false,
                formats: Set(Photo.Format.allCases.filter { codecs.contains($0 == .heic ? .hevc : .jpeg) }),
                flashes: Set(PhotoSettings.Flash.allCases.filter { output.supportedFlashModes.contains($0.mode) }),
                maxQualityPrioritization: PhotoSettings.QualityPrioritization(output.maxPhotoQualityPrioritization),
                sizes: format.supportedMaxPhotoDimensions.map { Photo.Size($0) },
                largest: Photo.Size(output.maxPhotoDimensions), turns: Set(turns),
                mirrors: connection?.isVideoMirroringSupported ?? false)
        }

        // MARK: Delegate methods

        func photoOutput(
            _ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?
        ) {
            let bytes = error == nil ? photo.fileDataRepresentation().map { [UInt8]($0) } : nil
            let time = SessionRules.time(
                ofPictureAt: CMTimeGetSeconds(photo.timestamp), now: .now, longest: .seconds(30))
            let settings = photo.resolvedSettings
            underWay.withLock {
                $0.processed(
                    settings.uniqueID, bytes, size: Photo.Size(settings.photoDimensions), at: time, of: camera,
                    error: Self.error(error))
            }
        }

        func photoOutput(
            _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
            error: (any Error)?
        ) {
            let end = underWay.withLock { $0.finish(resolvedSettings.uniqueID, error: Self.error(error)) }
            if let end { end.waiter(end.result) }
        }

        private static func error(_ error: (any Error)?) -> DeviceError? {
            (error as NSError?).map { DeviceError(ofPhoto: $0.code, $0.localizedDescription) }
        }
    }

    extension PhotoSettings.Flash {
        fileprivate var mode: AVCaptureDevice.FlashMode {
            switch self {
            case .off: .off
            case .automatic: .auto
            case .on: .on
            }
        }
    }

    extension PhotoSettings.QualityPrioritization {
        fileprivate var prioritization: AVCapturePhotoOutput.QualityPrioritization {
            switch self {
            case .speed: .speed
            case .balanced: .balanced
            case .quality: .quality
            }
        }

        /// An unknown value counts as the highest effort.
        fileprivate init(_ prioritization: AVCapturePhotoOutput.QualityPrioritization) {
            self = Self(rawValue: prioritization.rawValue) ?? .quality
        }
    }

    extension Photo.Size {
        fileprivate init(_ size: CMVideoDimensions) { self.init(width: Int(size.width), height: Int(size.height)) }

        fileprivate var dimensions: CMVideoDimensions {
            CMVideoDimensions(width: Int32(clamping: width), height: Int32(clamping: height))
        }
    }
#endif
