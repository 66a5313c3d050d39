#if os(visionOS)
    import AVFAudio
    import Dispatch
    import Foundation

    /// Reports microphones, which are the ports of the app's audio session. Notifications come on any thread, and only
    /// cause another look, on one queue.
    // All state is used on the queue alone.
    final class SessionInputs: DeviceDiscoveryBackend, @unchecked Sendable {
        private let queue = DispatchQueue(label: "duet.devices.discovery")
        private var observers: [any NSObjectProtocol] = []
        private var report: (@Sendable (DiscoveryReport) -> Void)?

        func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
            queue.sync {
                self.report = report
                for name in [
                    AVAudioSession.routeChangeNotification, AVAudioSession.mediaServicesWereResetNotification,
                ] {
                    observers.append(
                        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                            @Sendable [weak self] _ in self?.lookAgain()
                        })
                }
                look()
            }
        }

        func stop() {
            queue.async {
                for observer in self.observers { NotificationCenter.default.removeObserver(observer) }
                (self.observers, self.report) = ([], nil)
            }
        }

        private func lookAgain() { queue.async { self.look() } }

        private func look() {
            report?(
                .snapshot(
                    InputPorts.microphones(
                        InputPorts.ofSession, device: (handle: InputPorts.builtIn, name: "Microphone"))))
        }
    }
#endif
