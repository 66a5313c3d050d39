#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation

    extension CameraFeed {
        /// The video effects of the open camera; `nil` if none is open. The person may change them at any time: read
        /// them again when the app becomes active, or observe `AVCaptureDevice` in ``withCaptureSession(_:)``.
        public var effects: CameraEffects? {
            guard let handle = openCamera?.device.handle else { return nil }
            return SystemDiscovery.deviceHandles.withDevice(handle) { CameraEffects(of: $0) }
        }

        /// Enables or disables Center Stage for all cameras of the app. The person can change it too.
        ///
        /// - Parameter isOn: `nil` leaves it to the person alone again.
        public static func setCenterStage(_ isOn: Bool?) {
            let control = CenterStageControl(rawValue: AVCaptureDevice.centerStageControlMode.rawValue) ?? .person
            for step in CenterStageSteps.set(isOn, control: control) {
                switch step {
                case .control(.person): AVCaptureDevice.centerStageControlMode = .user
                case .control(.app): AVCaptureDevice.centerStageControlMode = .app
                case .control(.both): AVCaptureDevice.centerStageControlMode = .cooperative
                case .enable(let isOn):
                    guard AVCaptureDevice.centerStageControlMode != .user else { return }
                    AVCaptureDevice.isCenterStageEnabled = isOn
                }
            }
        }

        /// Shows the system's panel of video effects. Returns at once.
        public static func showEffects() { AVCaptureDevice.showSystemUserInterface(.videoEffects) }

        /// Shows the system's panel of microphone modes, such as voice isolation. Returns at once.
        public static func showMicrophoneModes() { AVCaptureDevice.showSystemUserInterface(.microphoneModes) }
    }

    extension CameraEffects {
        fileprivate init(of camera: AVCaptureDevice) {
            let format = camera.activeFormat
            let all: [(effect: CameraEffect, isSupported: Bool, isEnabled: Bool, isActive: Bool)] = [
                (
                    .centerStage, format.isCenterStageSupported, AVCaptureDevice.isCenterStageEnabled,
                    camera.isCenterStageActive
                ),
                (
                    .portrait, format.isPortraitEffectSupported, AVCaptureDevice.isPortraitEffectEnabled,
                    camera.isPortraitEffectActive
                ),
                (
                    .studioLight, format.isStudioLightSupported, AVCaptureDevice.isStudioLightEnabled,
                    camera.isStudioLightActive
                ),
                (
                    .reactions, format.reactionEffectsSupported, AVCaptureDevice.reactionEffectsEnabled,
                    !camera.reactionEffectsInProgress.isEmpty
                ),
                (
                    .backgroundReplacement, format.isBackgroundReplacementSupported,
                    AVCaptureDevice.isBackgroundReplacementEnabled, camera.isBackgroundReplacementActive
                ),
            ]
            self.init(
                supported: Set(all.filter(\.isSupported).map(\.effect)),
                enabled: Set(all.filter(\.isEnabled).map(\.effect)), active: Set(all.filter(\.isActive).map(\.effect)))
        }
    }
#endif
