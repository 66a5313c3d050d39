import Observation
import WebRTCKit

/// What is sent in place of the camera: the screen, or ARKit's camera.
@MainActor
@Observable
final class SharingModel {
    enum Shared: String, CaseIterable, Identifiable {
        case camera = "Camera"
        #if os(iOS) || os(macOS)
            case screen = "Screen"
        #endif
        #if os(iOS)
            case augmentedReality = "Augmented reality"
        #endif

        var id: Self { self }
    }

    private(set) var shared = Shared.camera
    private(set) var problem: String?
    #if os(iOS) || os(macOS)
        private let screen = ScreenCapturer()
    #endif
    #if os(iOS)
        @ObservationIgnored private var reality: ARCapturer?
    #endif

    /// Stops the current source, which may have the camera, and sends another one.
    func share(_ wanted: Shared, in calls: CallModel) {
        Task {
            let before = shared
            await stop()
            do {
                switch wanted {
                case .camera: try await calls.sendCamera()
                #if os(iOS) || os(macOS)
                    case .screen:
                        try await screen.start()
                        try await calls.send(screen, showsText: true)
                #endif
                #if os(iOS)
                    case .augmentedReality:
                        let reality = ARCapturer(camera: calls.devices.backCamera)
                        try await calls.send(reality)
                        reality.start()
                        self.reality = reality
                #endif
                }
                (shared, problem) = (wanted, nil)
            } catch {
                problem = "\(error)"
                if before != .camera { calls.isCameraOn = false }
            }
        }
    }

    /// Stops sharing at the end of a call, so that the next one does not begin with a source that does not run.
    func end(in calls: CallModel) {
        guard shared != .camera else { return }
        calls.isCameraOn = false
        Task { await stop() }
    }

    private func stop() async {
        defer { shared = .camera }
        switch shared {
        case .camera: break
        #if os(iOS) || os(macOS)
            case .screen: await screen.stop()
        #endif
        #if os(iOS)
            case .augmentedReality:
                reality?.stop()
                reality = nil
        #endif
        }
    }
}
