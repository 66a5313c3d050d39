#if !os(visionOS)
    import AVFoundation
    import RTC
    import RTCDevices
    import RTCMediaFiles
    import SwiftUI
    import WebRTCKit

    // What docs/devices.md shows of Apple's systems alone, as it stands there.

    struct OwnCamera: View {
        let devices: MediaDevices

        var body: some View {
            CameraPreviewView(camera: devices.camera)  // while a track has started the camera
        }
    }

    @MainActor
    final class CameraTricks {
        let camera: CameraFeed

        init(_ camera: CameraFeed) {
            self.camera = camera
        }

        func light() async throws {
            try await camera.withCaptureSession { _, device in
                guard device.isTorchModeSupported(.on) else { return }
                try device.lockForConfiguration()
                device.torchMode = .on
                device.unlockForConfiguration()
            }
        }

        func frame() {
            if camera.effects?.supported.contains(.centerStage) == true { CameraFeed.setCenterStage(true) }
            CameraFeed.showEffects()  // the person switches the others
        }

        func photograph() async throws -> Photo {
            try await camera.takePhoto(PhotoSettings(format: .heic, flash: .automatic, qualityPrioritization: .quality))
        }
    }

    #if os(iOS)
        @MainActor
        final class BothCameras {
            private var both: MultiCamera?
            private(set) var tracks: [VideoTrack] = []

            func start(front: MediaDevice, back: MediaDevice) async throws {
                guard MultiCamera.isSupported else { return }
                let both = try await MultiCamera([front, back])
                tracks = both.sources.map { VideoTrack(source: $0) }
                self.both = both  // keep it as long as its sources
            }
        }
    #endif
#endif
