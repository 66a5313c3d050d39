#if canImport(AVFoundation) && !os(macOS)
    import AVFAudio
    import AVFoundation
    import Foundation

    extension InputPorts {
        /// The ports of the app's audio session; none while it does not record.
        static var ofSession: [Port] {
            let session = AVAudioSession.sharedInstance()
            let routed = Set(session.currentRoute.inputs.map(\.uid))
            return (session.availableInputs ?? []).map { port in
                Port(
                    id: port.uid, name: port.portName, isBuiltIn: port.portType == .builtInMic,
                    isRouted: routed.contains(port.uid))
            }
        }
    }

    /// The part of the app's audio session that an engine needs.
    struct EngineSession {
        /// A microphone is chosen by the session's preferred port.
        static let prefersInputs = true

        /// - Returns: The port of a microphone in the list; `nil` if the system chooses.
        static func inputName(of device: MediaDevice) -> String? {
            InputPorts.port(of: device.handle, among: InputPorts.ofSession)
        }

        private var session: AVAudioSession { .sharedInstance() }

        /// Samples are requested one buffer before they are passed to the hardware, whose latency the session knows.
        var route: EngineRoute {
            EngineRoute(
                inputRate: session.isInputAvailable ? session.sampleRate : 0, outputRate: session.sampleRate,
                inputLatency: session.inputLatency, outputLatency: session.outputLatency + session.ioBufferDuration)
        }

        /// Observed for as long as the app runs.
        func observe(_ report: @escaping @Sendable (EngineEvent) -> Void) {
            Self.observe(AVAudioSession.interruptionNotification) { notification in
                let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                let hasBegun = type == AVAudioSession.InterruptionType.began.rawValue
                report(hasBegun ? .interrupted : .interruptionEnded)
            }
            Self.observe(AVAudioSession.routeChangeNotification) { _ in report(.routeChanged) }
            Self.observe(AVAudioSession.mediaServicesWereLostNotification) { _ in report(.servicesLost) }
            Self.observe(AVAudioSession.mediaServicesWereResetNotification) { _ in report(.servicesReset) }
            // Named by its string, so that UIKit is not needed.
            let front = Notification.Name(rawValue: "UIApplicationDidBecomeActiveNotification")
            Self.observe(front) { _ in report(.enteredForeground) }
        }

        /// - Parameter react: Called on any thread.
        private static func observe(_ name: Notification.Name, _ react: @escaping @Sendable (Notification) -> Void) {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                @Sendable notification in react(notification)
            }
        }

        /// Keeps the category of an app that has already set up its session for calls.
        func prepare() throws(DeviceError) {
            guard session.category != .playAndRecord else { return }
            do {
                try session.setCategory(.playAndRecord, mode: .videoChat, options: [.allowBluetoothHFP])
            } catch {
                throw DeviceError(.busy, "the app's audio session cannot record now: \(error.localizedDescription)")
            }
        }

        func setActive(_ isActive: Bool) throws(DeviceError) {
            do {
                try session.setActive(isActive, options: isActive ? [] : .notifyOthersOnDeactivation)
            } catch {
                throw DeviceError(.busy, "another app has the sound: \(error.localizedDescription)")
            }
        }

        func hasInput(_ port: String?) -> Bool {
            guard let port else { return session.isInputAvailable }
            return session.availableInputs?.contains { $0.uid == port } == true
        }

        func preferInput(_ port: String?) throws(DeviceError) {
            let description = session.availableInputs?.first { $0.uid == port }
            guard port == nil || description != nil, (try? session.setPreferredInput(description)) != nil else {
                throw DeviceError(.disconnected, "the microphone is not connected any more")
            }
        }

        func use(_ device: String?, for input: AVAudioInputNode, _ element: UInt32) throws(DeviceError) {}
    }
#endif
