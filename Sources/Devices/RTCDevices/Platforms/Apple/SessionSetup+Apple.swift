#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import CoreMedia
    import CoreVideo
    import Foundation
    import RTCWire

    /// The capture session of one camera: carries out the steps of ``CameraSteps``, on its owner's queue.
    final class SessionSetup {
        let session = AVCaptureSession()
        let output = AVCaptureVideoDataOutput()
        private(set) var preset: CapturePreset?
        private var wanted: CaptureFormat?
        /// The frame rate that was set; `nil` for the camera's own.
        private var rate: Double?
        /// Whether the app itself has chosen the camera's format.
        var isFormatApps = false

        func want(_ wanted: CaptureFormat?, of camera: AVCaptureDevice) {
            self.wanted = wanted
            preset = wanted.flatMap { SessionRules.preset(for: $0) }
            if let name = preset?.name, !camera.supportsSessionPreset(name) { preset = nil }
        }

        var startSteps: [CameraSteps.Step] {
            CameraSteps.start(preset: preset, wantsFormat: wanted != nil, isFormatApps: isFormatApps)
        }

        var endChangeSteps: [CameraSteps.Step] {
            CameraSteps.endChange(preset: preset, wantsFormat: wanted != nil, isFormatKept: !isFormatApps)
        }

        var addPhotosSteps: [CameraSteps.Step] {
            CameraSteps.addPhotos(preset: preset, wantsFormat: wanted != nil, isFormatKept: !isFormatApps)
        }

        /// - Returns: Whether the input and outputs could be added.
        func carryOut(
            _ steps: [CameraSteps.Step], _ camera: AVCaptureDevice, adding input: AVCaptureDeviceInput? = nil,
            photos: AVCapturePhotoOutput? = nil
        ) -> Bool {
            var isLocked = false
            for step in steps {
                switch step {
                case .beginConfiguration: session.beginConfiguration()
                case .commitConfiguration: session.commitConfiguration()
                case .addInput:
                    guard let input, session.canAddInput(input) else {
                        session.commitConfiguration()
                        return false
                    }
                    session.addInput(input)
                case .addOutput: guard add(output) else { return false }
                case .addPhotoOutput: guard let photos, add(photos) else { return false }
                case .choosePixels: usePixels()
                case .deliverUnrotated:
                    if let connection = output.connection(with: .video) { UnrotatedCapture.deliver(connection) }
                case .allowMultitasking:
                    #if !os(macOS)
                        let isPossible = session.isMultitaskingCameraAccessSupported
                        if isPossible { session.isMultitaskingCameraAccessEnabled = true }
                    #endif
                case .usePreset(let preset):
                    if session.canSetSessionPreset(preset.name) { session.sessionPreset = preset.name }
                case .lock: isLocked = (try? camera.lockForConfiguration()) != nil
                case .useFormat:
                    guard isLocked, let format = wanted.flatMap({ FrameworkFormat.find($0, in: camera.formats) }) else {
                        break
                    }
                    #if !os(macOS)
                        if session.canSetSessionPreset(.inputPriority) { session.sessionPreset = .inputPriority }
                    #endif
                    camera.activeFormat = format
                case .useRate:
                    guard isLocked, let wanted else { break }
                    // Setting the rate raises an exception while the camera chooses it automatically.
                    if camera.isAutoVideoFrameRateEnabled { camera.isAutoVideoFrameRateEnabled = false }
                    // A duration outside the format's ranges raises an exception; Center Stage has a narrower range.
                    let all = camera.activeFormat.videoSupportedFrameRateRanges
                    let stage = camera.isCenterStageActive ? camera.activeFormat.videoFrameRateRangeForCenterStage : nil
                    let ranges = (stage.map { [$0] } ?? all).compactMap { FrameDuration.range($0) }
                    guard let duration = FrameDuration.nearest(to: wanted.frameRate, in: ranges) else { break }
                    let time = CMTimeMake(value: duration.value, timescale: duration.timescale)
                    camera.activeVideoMinFrameDuration = time
                    camera.activeVideoMaxFrameDuration = time
                    rate = duration.rate
                case .startRunning: session.startRunning()
                case .unlock: if isLocked { camera.unlockForConfiguration() }
                }
            }
            return true
        }

        /// The format that the camera delivers now.
        func format(of camera: AVCaptureDevice) -> CaptureFormat {
            let own = camera.activeFormat.videoSupportedFrameRateRanges.first?.maxFrameRate ?? 30
            return CaptureFormat(format: FrameworkFormat.format(camera.activeFormat), frameRate: rate ?? own)
        }

        private func add(_ output: AVCaptureOutput) -> Bool {
            guard session.canAddOutput(output) else {
                session.commitConfiguration()
                return false
            }
            session.addOutput(output)
            return true
        }

        /// Requests NV12, to which the system converts all camera formats. An unsupported format raises an exception.
        private func usePixels() {
            let form = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            guard output.availableVideoPixelFormatTypes.contains(form) else { return }
            output.videoSettings = ["\(kCVPixelBufferPixelFormatTypeKey)": form]
        }
    }

    extension AVCaptureSession {
        /// The capture time of a frame, on the engine's clock, which is the host's.
        func time(of sampleBuffer: CMSampleBuffer) -> Instant {
            var time = CMSampleBufferGetPresentationTimeStamp(sampleBuffer)
            let host = CMClockGetHostTimeClock()
            if let clock = synchronizationClock { time = CMSyncConvertTime(time, from: clock, to: host) }
            return SessionRules.time(ofPictureAt: CMTimeGetSeconds(time), now: .now)
        }
    }

    extension SessionRules.Reaction {
        /// The reaction to a session's `runtimeErrorNotification`.
        init(_ notification: Notification) {
            let error = notification.userInfo?[AVCaptureSessionErrorKey] as? NSError
            self = SessionRules.reaction(toError: error?.code ?? 0, error?.localizedDescription)
        }
    }

    extension CapturePreset {
        fileprivate var name: AVCaptureSession.Preset {
            switch self {
            case .vga: .vga640x480
            case .hd720: .hd1280x720
            case .hd1080: .hd1920x1080
            case .uhd4K: .hd4K3840x2160
            }
        }
    }
#endif
