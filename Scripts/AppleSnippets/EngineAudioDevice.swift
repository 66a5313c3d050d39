import AudioToolbox
import WebRTCKit

// How a device that is written for the WebRTC framework talks to its delegate: with the framework's blocks.

final class EngineAudioDevice: RTCAudioDevice {
    private var delegate: (any RTCAudioDeviceDelegate)?

    var deviceInputSampleRate: Double { delegate?.preferredInputSampleRate ?? 48_000 }
    var inputIOBufferDuration: Double { delegate?.preferredInputIOBufferDuration ?? 0.01 }
    var inputNumberOfChannels: Int { 1 }
    var inputLatency: Double { 0 }
    var deviceOutputSampleRate: Double { delegate?.preferredOutputSampleRate ?? 48_000 }
    var outputIOBufferDuration: Double { delegate?.preferredOutputIOBufferDuration ?? 0.01 }
    var outputNumberOfChannels: Int { 1 }
    var outputLatency: Double { 0 }

    var isInitialized: Bool { delegate != nil }
    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool {
        self.delegate = delegate
        return true
    }
    func terminateDevice() -> Bool {
        delegate = nil
        return true
    }

    private(set) var isPlayoutInitialized = false
    func initializePlayout() -> Bool {
        isPlayoutInitialized = true
        return true
    }
    private(set) var isPlaying = false
    func startPlayout() -> Bool {
        isPlaying = true
        return true
    }
    func stopPlayout() -> Bool {
        isPlaying = false
        return true
    }

    private(set) var isRecordingInitialized = false
    func initializeRecording() -> Bool {
        isRecordingInitialized = true
        return true
    }
    private(set) var isRecording = false
    func startRecording() -> Bool {
        isRecording = true
        return true
    }
    func stopRecording() -> Bool {
        isRecording = false
        return true
    }

    /// What an `AVAudioSinkNode` calls.
    func receive(
        _ timestamp: UnsafePointer<AudioTimeStamp>, _ frameCount: UInt32, _ inputData: UnsafePointer<AudioBufferList>
    ) -> OSStatus {
        var flags = AudioUnitRenderActionFlags()
        return delegate?.deliverRecordedData(&flags, timestamp, 0, frameCount, inputData, nil, nil) ?? noErr
    }

    /// What an `AVAudioSourceNode` calls.
    func render(
        _ timestamp: UnsafePointer<AudioTimeStamp>, _ frameCount: UInt32,
        _ outputData: UnsafeMutablePointer<AudioBufferList>
    ) -> OSStatus {
        var flags = AudioUnitRenderActionFlags()
        return delegate?.getPlayoutData(&flags, timestamp, 0, frameCount, outputData) ?? noErr
    }
}
