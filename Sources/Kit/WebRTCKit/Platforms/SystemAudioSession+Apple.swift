#if canImport(AVFoundation) && !os(macOS)
    import AVFoundation
    import Foundation

    /// The app's `AVAudioSession`. ``AudioSessionController`` decides how it is used.
    ///
    /// macOS has no audio session.
    @MainActor
    public final class SystemAudioSession: AudioSession {
        package var onEvent: (@MainActor (AudioSessionController.Event) -> Void)?

        private let session = AVAudioSession.sharedInstance()
        // Written by init and read by deinit only, which never run at the same time.
        private nonisolated(unsafe) var observers: [any NSObjectProtocol] = []

        public init() {
            observe(AVAudioSession.interruptionNotification) { Self.interruption($0) }
            observe(AVAudioSession.routeChangeNotification) { Self.routeChange($0) }
            observe(AVAudioSession.mediaServicesWereResetNotification) { _ in .mediaServicesReset }
        }

        deinit {
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }

        // MARK: To the system

        package var outputs: [AudioSessionController.Output] { Self.outputs(of: session.currentRoute) }

        package func configure(_ use: AudioSessionController.Use) throws {
            let mode: AVAudioSession.Mode =
                switch use {
                case .voiceCall: .voiceChat
                case .videoCall: .videoChat
                }
            try session.setCategory(.playAndRecord, mode: mode, options: [.allowBluetoothHFP])
            // A call continues when headphones are disconnected, and a ring that is only displayed does not interrupt it.
            try session.setPrefersInterruptionOnRouteDisconnect(false)
            try session.setPrefersNoInterruptionsFromSystemAlerts(true)
        }

        package func setActive(_ isActive: Bool) throws {
            try session.setActive(isActive, options: isActive ? [] : .notifyOthersOnDeactivation)
        }

        package func setSpeaker(_ isOn: Bool) throws { try session.overrideOutputAudioPort(isOn ? .speaker : .none) }

        // MARK: From the system

        /// - Parameter read: Called on the main queue, since the notification is not Sendable.
        private func observe(
            _ name: Notification.Name, _ read: @escaping @Sendable (Notification) -> AudioSessionController.Event?
        ) {
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
                @Sendable [weak self] notification in
                guard let event = read(notification) else { return }
                MainActor.assumeIsolated { self?.onEvent?(event) }
            }
            observers.append(observer)
        }

        private nonisolated static func interruption(_ notification: Notification) -> AudioSessionController.Event? {
            guard let raw = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
                let type = AVAudioSession.InterruptionType(rawValue: raw)
            else { return nil }
            switch type {
            case .began:
                return .interruptionBegan
            case .ended:
                let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
                return .interruptionEnded(
                    shouldResume: AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume))
            @unknown default:
                return nil
            }
        }

        private nonisolated static func routeChange(_ notification: Notification) -> AudioSessionController.Event? {
            guard let raw = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let reason = AVAudioSession.RouteChangeReason(rawValue: raw)
            else { return nil }
            let previous =
                notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            let change: AudioSessionController.RouteChange.Reason =
                switch reason {
                case .newDeviceAvailable: .newDeviceAvailable
                case .oldDeviceUnavailable: .oldDeviceUnavailable
                default: .other
                }
            return .routeChanged(
                AudioSessionController.RouteChange(
                    reason: change, previous: previous.map { outputs(of: $0) } ?? [],
                    current: outputs(of: AVAudioSession.sharedInstance().currentRoute)))
        }

        private nonisolated static func outputs(
            of route: AVAudioSessionRouteDescription
        ) -> [AudioSessionController.Output] {
            route.outputs.map { port in
                switch port.portType {
                case .builtInReceiver: .receiver
                case .builtInSpeaker: .speaker
                case .headphones, .usbAudio: .headphones
                case .bluetoothHFP, .bluetoothA2DP, .bluetoothLE: .bluetooth
                case .carAudio: .carAudio
                case .airPlay: .airPlay
                default: .other
                }
            }
        }
    }

    extension AudioSessionController {
        /// Creates a controller of the app's audio session.
        public convenience init(session: SystemAudioSession) {
            let adapted: any AudioSession = session
            self.init(session: adapted)
        }
    }
#endif
