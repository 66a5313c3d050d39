#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import CoreMedia

    /// Converts the formats of AVFoundation's cameras.
    enum FrameworkFormat {
        /// The largest first; formats with the same size and pixel format are merged.
        static func formats(of device: AVCaptureDevice) -> [CameraFormat] {
            var formats: [CameraFormat] = []
            for format in device.formats {
                let one = Self.format(format)
                if let index = formats.firstIndex(where: { isSameForm($0, one) }) {
                    formats[index].frameRates += one.frameRates.filter { !formats[index].frameRates.contains($0) }
                } else {
                    formats.append(one)
                }
            }
            return formats.sorted { $0.width * $0.height > $1.width * $1.height }
        }

        /// Finds the framework's format for a capture format, with a range that contains its rate.
        static func find(_ wanted: CaptureFormat, in formats: [AVCaptureDevice.Format]) -> AVCaptureDevice.Format? {
            formats.first { candidate in
                let form = format(candidate)
                return isSameForm(form, wanted.format) && form.frameRates.contains { $0.contains(wanted.frameRate) }
            }
        }

        static func format(_ format: AVCaptureDevice.Format) -> CameraFormat {
            let size = CMVideoFormatDescriptionGetDimensions(format.formatDescription)
            let rates = format.videoSupportedFrameRateRanges.compactMap { range in
                range.minFrameRate <= range.maxFrameRate ? range.minFrameRate...range.maxFrameRate : nil
            }
            return CameraFormat(
                width: Int(size.width), height: Int(size.height), frameRates: rates,
                pixelFormat: pixelFormat(CMFormatDescriptionGetMediaSubType(format.formatDescription)))
        }

        private static func isSameForm(_ one: CameraFormat, _ other: CameraFormat) -> Bool {
            one.width == other.width && one.height == other.height && one.pixelFormat == other.pixelFormat
        }

        /// Frames are always delivered as NV12, whichever of these formats the camera uses.
        private static func pixelFormat(_ code: FourCharCode) -> CameraFormat.PixelFormat {
            let text = String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }, as: UTF8.self)
            return switch text {
            case "420v", "420f": .nv12
            case "y420": .i420
            case "yuvs": .yuy2
            case "2vuy": .uyvy
            case "BGRA": .bgra
            case "dmb1", "jpeg": .mjpeg
            case "avc1": .h264
            default: CameraFormat.PixelFormat(text)
            }
        }
    }

    extension FrameDuration {
        init(_ time: CMTime) { self.init(value: time.value, timescale: time.timescale) }

        /// `nil` if the range is invalid.
        static func range(_ range: AVFrameRateRange) -> ClosedRange<FrameDuration>? {
            let (shortest, longest) = (FrameDuration(range.minFrameDuration), FrameDuration(range.maxFrameDuration))
            return shortest <= longest ? shortest...longest : nil
        }
    }

    extension CameraControls {
        init(of device: AVCaptureDevice) {
            self.init()
            if device.isFocusModeSupported(.continuousAutoFocus) { focusModes.insert(.continuous) }
            if device.isFocusModeSupported(.autoFocus) { focusModes.insert(.once) }
            if device.isFocusModeSupported(.locked) { focusModes.insert(.locked) }
            if device.isExposureModeSupported(.continuousAutoExposure) { exposureModes.insert(.continuous) }
            if device.isExposureModeSupported(.locked) { exposureModes.insert(.locked) }
            #if !os(macOS)
                let (nearest, farthest) = (device.minAvailableVideoZoomFactor, device.maxAvailableVideoZoomFactor)
                if nearest < farthest { zoom = Double(nearest)...Double(farthest) }
                let (darkest, brightest) = (device.minExposureTargetBias, device.maxExposureTargetBias)
                if darkest < brightest { exposureBias = Double(darkest)...Double(brightest) }
            #endif
        }
    }

    extension CameraSetting {
        /// Applies a setting that was checked against the camera's controls.
        ///
        /// - Throws: ``DeviceError`` `busy` while another program configures the camera, or `unsupported`.
        func apply(to device: AVCaptureDevice) throws(DeviceError) {
            guard (try? device.lockForConfiguration()) != nil else {
                throw DeviceError(.busy, "another program sets up \(device.localizedName)")
            }
            defer { device.unlockForConfiguration() }
            switch self {
            case .focus(let mode):
                let mode: AVCaptureDevice.FocusMode =
                    switch mode {
                    case .continuous: .continuousAutoFocus
                    case .once: .autoFocus
                    case .locked: .locked
                    }
                guard device.isFocusModeSupported(mode) else { throw Self.unsupported(device) }
                device.focusMode = mode
            case .exposure(let mode):
                let mode: AVCaptureDevice.ExposureMode = mode == .continuous ? .continuousAutoExposure : .locked
                guard device.isExposureModeSupported(mode) else { throw Self.unsupported(device) }
                device.exposureMode = mode
            case .zoom(let factor):
                #if os(macOS)
                    throw Self.unsupported(device)
                #else
                    // The framework raises an exception for a factor outside the current range.
                    device.videoZoomFactor = min(
                        max(factor, device.minAvailableVideoZoomFactor), device.maxAvailableVideoZoomFactor)
                #endif
            case .lensPosition(let position):
                #if os(macOS)
                    throw Self.unsupported(device)
                #else
                    guard device.isLockingFocusWithCustomLensPositionSupported else { throw Self.unsupported(device) }
                    device.setFocusModeLocked(lensPosition: Float(position))
                #endif
            case .exposureBias(let bias):
                #if os(macOS)
                    throw Self.unsupported(device)
                #else
                    device.setExposureTargetBias(
                        min(max(Float(bias), device.minExposureTargetBias), device.maxExposureTargetBias))
                #endif
            }
        }

        private static func unsupported(_ device: AVCaptureDevice) -> DeviceError {
            DeviceError(.unsupported, "\(device.localizedName) cannot be set that way")
        }
    }
#endif
