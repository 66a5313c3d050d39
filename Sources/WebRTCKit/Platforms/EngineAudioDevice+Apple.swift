#if canImport(AVFoundation)
    import AVFAudio
    import AVFoundation
    import AudioToolbox
    import Foundation
    internal import RTCDevices
    internal import Synchronization

    /// Microphone and loudspeaker by an audio engine: a sink node for what is recorded, a source node for what is played. The
    /// system cancels the echo.
    ///
    /// On iOS and visionOS it also sets up the app's audio session for a call and activates it while there is sound, unless
    /// somebody else does: ``setMayRun(_:)``.
    // Everything but `link` and `observers` is touched on the kit's queue alone, on which it calls a device.
    final class EngineAudioDevice: DefaultAudioDevice, @unchecked Sendable {
        private struct Link: Sendable {
            var delegate: (any RTCAudioDeviceDelegate)?
            /// Whether the session is active, if somebody else sees to that.
            var mayRun: Bool?
        }

        private let link = Mutex(Link())
        private var engine = AVAudioEngine()
        private var source: AVAudioSourceNode?
        private var sink: AVAudioSinkNode?
        /// Whether the session is active because of this device.
        private var hasActivated = false
        // Written by init and read by deinit.
        private var observers: [any NSObjectProtocol] = []

        private(set) var isInitialized = false
        private(set) var isPlayoutInitialized = false
        private(set) var isRecordingInitialized = false
        private(set) var isPlaying = false
        private(set) var isRecording = false

        /// What engines work with, in hertz.
        private let sampleRate = 48_000.0

        init() {
            // The engine stops when headphones come or go.
            observe(.AVAudioEngineConfigurationChange) { $0.update() }
            #if !os(macOS)
                // It stops for a telephone call, too. While that lasts, it cannot be started.
                observe(AVAudioSession.interruptionNotification) { $0.update() }
                observe(AVAudioSession.mediaServicesWereResetNotification) { $0.makeAnew() }
            #endif
        }

        deinit {
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }

        private func observe(_ name: Notification.Name, _ react: @escaping @Sendable (EngineAudioDevice) -> Void) {
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                @Sendable [weak self] _ in self?.onQueue(react)
            }
            observers.append(observer)
        }

        private func onQueue(_ work: @escaping @Sendable (EngineAudioDevice) -> Void) {
            link.withLock { $0.delegate }?.dispatchAsync { [weak self] in
                if let self { work(self) }
            }
        }

        // MARK: Permission

        func requestAccess() async throws(CallManagerError) {
            do throws(DeviceError) {
                try await MediaAuthorization.request(for: .audio)
            } catch {
                throw .deviceUnavailable(error.message)
            }
        }

        func setMayRun(_ mayRun: Bool) {
            link.withLock { $0.mayRun = mayRun }
            onQueue { $0.update() }
        }

        // MARK: Life

        var deviceInputSampleRate: Double {
            sink == nil ? sampleRate : engine.inputNode.outputFormat(forBus: 0).sampleRate
        }
        var inputNumberOfChannels: Int { 1 }
        var deviceOutputSampleRate: Double { sampleRate }
        var outputNumberOfChannels: Int { 1 }

        func initialize(with delegate: any RTCAudioDeviceDelegate) -> Bool {
            link.withLock { $0.delegate = delegate }
            isInitialized = true
            return true
        }

        func terminateDevice() -> Bool {
            (isInitialized, isPlayoutInitialized, isRecordingInitialized) = (false, false, false)
            (isPlaying, isRecording) = (false, false)
            update()
            link.withLock { $0.delegate = nil }
            return true
        }

        // MARK: What is played

        func initializePlayout() -> Bool {
            guard source == nil, let delegate = link.withLock({ $0.delegate }) else { return isPlayoutInitialized }
            guard let format = AVAudioFormat(standardFormatWithSampleRate: sampleRate, channels: 1) else {
                return false
            }
            let scratch = SampleScratch()
            let source = AVAudioSourceNode(format: format) { @Sendable isSilence, _, frameCount, list in
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
            // Only a session that records has a microphone, and only an engine that stands still lets its echo be cancelled.
            guard prepareSession() else { return false }
            engine.stop()
            defer { update() }
            guard hasInput, (try? engine.inputNode.setVoiceProcessingEnabled(true)) != nil, hasInput else {
                return false
            }
            let scratch = SampleScratch()
            let sink = AVAudioSinkNode { @Sendable _, frameCount, list in
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

        /// To connect an input that is not there is an exception.
        private var hasInput: Bool {
            let format = engine.inputNode.outputFormat(forBus: 0)
            return format.sampleRate > 0 && format.channelCount > 0
        }

        func startRecording() -> Bool {
            isRecording = isRecordingInitialized
            return isRecording && update()
        }

        func stopRecording() -> Bool {
            isRecording = false
            return update()
        }

        // MARK: The engine and the session

        /// Runs the engine while somebody wants it and it may.
        ///
        /// - Returns: Whether there is nothing wrong. An engine that has to wait for the session is all right.
        @discardableResult
        private func update() -> Bool {
            let mayRun = link.withLock { $0.mayRun }
            guard isPlaying || isRecording, mayRun ?? true else {
                engine.stop()
                deactivateSession()
                return true
            }
            guard !engine.isRunning else { return true }
            return prepareSession() && (mayRun != nil || activateSession()) && (try? engine.start()) != nil
        }

        /// The system's audio has died and was born again.
        private func makeAnew() {
            (engine, source, sink, hasActivated) = (AVAudioEngine(), nil, nil, false)
            if isPlayoutInitialized {
                isPlayoutInitialized = false
                isPlayoutInitialized = initializePlayout()
            }
            if isRecordingInitialized {
                isRecordingInitialized = false
                isRecordingInitialized = initializeRecording()
            }
            update()
        }

        /// - Returns: Whether the session is one for calls. Whoever has set it up as such keeps what they have chosen.
        private func prepareSession() -> Bool {
            #if os(macOS)
                return true
            #else
                let session = AVAudioSession.sharedInstance()
                guard session.category != .playAndRecord else { return true }
                return (try? session.setCategory(.playAndRecord, mode: .videoChat, options: [.allowBluetoothHFP]))
                    != nil
            #endif
        }

        private func activateSession() -> Bool {
            #if os(macOS)
                return true
            #else
                hasActivated = (try? AVAudioSession.sharedInstance().setActive(true)) != nil
                return hasActivated
            #endif
        }

        private func deactivateSession() {
            #if !os(macOS)
                guard hasActivated else { return }
                hasActivated = false
                // Who has taken over the session ends it, too.
                guard link.withLock({ $0.mayRun }) == nil else { return }
                try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
            #endif
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
#endif
