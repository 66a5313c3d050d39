import AVFAudio
import AudioToolbox
import Synchronization
import WebRTCKit

/// Microphone and loudspeaker by an audio engine: a sink node for what is recorded, a source node for what is played. The
/// system cancels the echo.
// Everything but `link` is touched on the kit's queue alone, on which it calls a device.
final class EngineAudioDevice: RTCAudioDevice, @unchecked Sendable {
    private struct Link: Sendable {
        var delegate: (any RTCAudioDeviceDelegate)?
        /// On iOS the engine may run only while the system has activated the audio session.
        var mayRun: Bool
    }

    private let engine = AVAudioEngine()
    private let link: Mutex<Link>
    private var source: AVAudioSourceNode?
    private var sink: AVAudioSinkNode?

    private(set) var isInitialized = false
    private(set) var isPlayoutInitialized = false
    private(set) var isRecordingInitialized = false
    private(set) var isPlaying = false
    private(set) var isRecording = false

    /// What engines work with.
    private let sampleRate = 48_000.0

    /// - Parameter mayRun: Whether there may be sound already.
    init(mayRun: Bool) {
        link = Mutex(Link(mayRun: mayRun))
    }

    /// Starts and stops with the audio session: may be called on any thread.
    func setMayRun(_ mayRun: Bool) {
        let delegate = link.withLock { link in
            link.mayRun = mayRun
            return link.delegate
        }
        delegate?.dispatchAsync { [weak self] in self?.update() }
    }

    var deviceInputSampleRate: Double { sink == nil ? sampleRate : engine.inputNode.outputFormat(forBus: 0).sampleRate }
    var inputNumberOfChannels: Int { 1 }
    var deviceOutputSampleRate: Double { sampleRate }
    var outputNumberOfChannels: Int { 1 }

    func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool {
        link.withLock { $0.delegate = delegate }
        isInitialized = true
        return true
    }

    func terminateDevice() -> Bool {
        engine.stop()
        link.withLock { $0.delegate = nil }
        (isInitialized, isPlayoutInitialized, isRecordingInitialized) = (false, false, false)
        (isPlaying, isRecording) = (false, false)
        return true
    }

    // MARK: What is played

    func initializePlayout() -> Bool {
        guard source == nil, let delegate = link.withLock({ $0.delegate }) else { return isPlayoutInitialized }
        guard let format = AVAudioFormat(standardFormatWithSampleRate: sampleRate, channels: 1) else { return false }
        let scratch = SampleScratch()
        let source = AVAudioSourceNode(format: format) { isSilence, _, frameCount, list in
            let buffers = UnsafeMutableAudioBufferListPointer(list)
            guard let output = buffers.first?.mData?.assumingMemoryBound(to: Float.self) else {
                return kAudio_ParamError
            }
            let samples = scratch.samples(Int(frameCount))
            isSilence.pointee = ObjCBool(!delegate.getPlayoutSamples(samples))
            for index in samples.indices { output[index] = Float(samples[index]) / 32_768 }
            return noErr
        }
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: format)
        self.source = source
        isPlayoutInitialized = true
        return true
    }

    func startPlayout() -> Bool {
        isPlaying = isPlayoutInitialized
        return isPlaying && update()
    }

    func stopPlayout() -> Bool {
        isPlaying = false
        return update()
    }

    // MARK: What is recorded

    func initializeRecording() -> Bool {
        guard sink == nil, let delegate = link.withLock({ $0.delegate }) else { return isRecordingInitialized }
        // Without it the other side would hear itself.
        guard (try? engine.inputNode.setVoiceProcessingEnabled(true)) != nil else { return false }
        let scratch = SampleScratch()
        let sink = AVAudioSinkNode { _, frameCount, list in
            let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
            guard let input = buffers.first?.mData?.assumingMemoryBound(to: Float.self) else {
                return kAudio_ParamError
            }
            let samples = scratch.samples(Int(frameCount))
            for index in samples.indices { samples[index] = Int16(max(-1, min(1, input[index])) * 32_767) }
            return delegate.deliverRecordedSamples(UnsafeBufferPointer(samples)) ? noErr : kAudio_ParamError
        }
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: nil)
        self.sink = sink
        isRecordingInitialized = true
        return true
    }

    func startRecording() -> Bool {
        isRecording = isRecordingInitialized
        return isRecording && update()
    }

    func stopRecording() -> Bool {
        isRecording = false
        return update()
    }

    /// Runs the engine while somebody wants it and it may.
    ///
    /// - Returns: Whether there is nothing wrong. An engine that has to wait for the session is all right.
    @discardableResult
    private func update() -> Bool {
        guard isPlaying || isRecording, link.withLock({ $0.mayRun }) else {
            engine.stop()
            return true
        }
        return engine.isRunning || (try? engine.start()) != nil
    }
}

/// Memory for one piece of sound, so that the thread of the sound card need not ask for any.
// One thread uses it, that of its node.
private final class SampleScratch: @unchecked Sendable {
    /// The most that a node is asked for at once.
    private static let limit = 8_192
    private let memory = UnsafeMutableBufferPointer<Int16>.allocate(capacity: limit)

    deinit { memory.deallocate() }

    func samples(_ count: Int) -> UnsafeMutableBufferPointer<Int16> {
        UnsafeMutableBufferPointer(rebasing: memory[..<min(count, Self.limit)])
    }
}
