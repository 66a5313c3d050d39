import WebRTCKit

// What an app writes is not the main actor's where the kit calls it on threads of its own, whatever the module's default is.

final class OwnCapturer: RTCVideoCapturer {
    private let context = Mailbox()

    func capture(_ frame: RTCVideoFrame) { delegate?.capturer(self, didCapture: frame) }
}

final class OwnAudioDevice: RTCAudioDevice {
    private var delegate: RTCAudioDeviceDelegate?

    let deviceInputSampleRate = 48_000.0
    let inputNumberOfChannels = 1
    let deviceOutputSampleRate = 48_000.0
    let outputNumberOfChannels = 1
    let isInitialized = true
    let isPlayoutInitialized = true
    let isPlaying = false
    let isRecordingInitialized = true
    let isRecording = false

    func initialize(with delegate: RTCAudioDeviceDelegate) -> Bool {
        self.delegate = delegate
        return true
    }
    func terminateDevice() -> Bool { true }
    func initializePlayout() -> Bool { true }
    func startPlayout() -> Bool { true }
    func stopPlayout() -> Bool { true }
    func initializeRecording() -> Bool { true }
    func startRecording() -> Bool { true }
    func stopRecording() -> Bool { true }
}

nonisolated func onAnyThread(_ capturer: OwnCapturer, _ frame: RTCVideoFrame, _ device: OwnAudioDevice) -> Bool {
    capturer.capture(frame)
    return device.startRecording()
}
