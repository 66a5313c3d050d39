#if canImport(AVFoundation)
    import AVFAudio
    import AVFoundation
    import AudioToolbox
    import Foundation
    import RTCFrames

    extension DuplexEngine {
        /// The single engine of the process.
        package static let ofProcess = DuplexEngine(SystemEngine())
    }

    /// The system's audio engine, with the app's audio session if there is one. ``EngineRules`` decide on its steps.
    final class SystemEngine: EngineHardware {
        private let session = EngineSession()
        private var engine: AVAudioEngine?
        private var form = EngineRules.Form(input: nil, hasOutput: false)
        private var observer: (any NSObjectProtocol)?
        private var report: (@Sendable (EngineEvent) -> Void)?

        var prefersInputs: Bool { EngineSession.prefersInputs }

        var route: EngineRoute {
            var route = session.route
            guard let engine else { return route }
            if form.input != nil { route.inputRate = engine.inputNode.outputFormat(forBus: 0).sampleRate }
            if form.hasOutput {
                route.outputRate = engine.outputNode.outputFormat(forBus: 0).sampleRate
                // A Mac has no session that knows it.
                if route.outputLatency <= 0 { route.outputLatency = engine.outputNode.presentationLatency }
            }
            return route
        }

        func observe(_ report: @escaping @Sendable (EngineEvent) -> Void) {
            self.report = report
            session.observe(report)
        }

        func prepareSession() throws(DeviceError) { try session.prepare() }
        func setActive(_ isActive: Bool) throws(DeviceError) { try session.setActive(isActive) }
        func preferInput(_ device: String?) throws(DeviceError) { try session.preferInput(device) }
        func hasInput(_ device: String?) -> Bool { session.hasInput(device) }

        func build(
            _ form: EngineRules.Form, recordingTo intake: MicrophoneIntake, playing mix: PlayoutMix
        ) throws(DeviceError) {
            let engine = AVAudioEngine()
            if let input = form.input { try record(engine, input, to: intake) }
            if form.hasOutput { try play(engine, form, mix) }
            (self.engine, self.form) = (engine, form)
            // Called on a queue of the engine, which must not release the engine there.
            observer = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
            ) { @Sendable [report] _ in report?(.configurationChanged) }
        }

        private func record(
            _ engine: AVAudioEngine, _ input: EngineRules.Form.Input, to intake: MicrophoneIntake
        ) throws(DeviceError) {
            // Voice processing can be enabled only while the engine is stopped.
            engine.stop()
            if input.isProcessed, (try? engine.inputNode.setVoiceProcessingEnabled(true)) == nil {
                throw DeviceError(.unsupported, "the system does not cancel the echo of this microphone")
            }
            let element = EngineWiring.microphoneElement(isProcessed: input.isProcessed)
            try session.use(input.device, for: engine.inputNode, element)
            let format = engine.inputNode.outputFormat(forBus: 0)
            // Connecting an input that does not exist raises an exception.
            guard format.sampleRate > 0, format.channelCount > 0 else {
                throw DeviceError(.notFound, "there is no microphone to record from")
            }
            let connection = intake.connect(sampleRate: Int(format.sampleRate))
            let sink = AVAudioSinkNode { @Sendable _, frameCount, list in
                let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
                guard let input = buffers.first?.mData?.assumingMemoryBound(to: Float.self) else {
                    return kAudio_ParamError
                }
                connection.take(UnsafeBufferPointer(start: input, count: Int(frameCount)))
                return noErr
            }
            engine.attach(sink)
            engine.connect(engine.inputNode, to: sink, format: nil)
        }

        private func play(
            _ engine: AVAudioEngine, _ form: EngineRules.Form, _ mix: PlayoutMix
        ) throws(DeviceError) {
            let output = engine.outputNode.outputFormat(forBus: 0)
            let format = AVAudioFormat(standardFormatWithSampleRate: Double(PlayoutMix.sampleRate), channels: 1)
            guard output.sampleRate > 0, output.channelCount > 0, let format else {
                throw DeviceError(.notFound, "there is nothing to play sound")
            }
            let source = AVAudioSourceNode(format: format) { @Sendable isSilence, _, frameCount, list in
                let buffers = UnsafeMutableAudioBufferListPointer(list)
                guard let output = buffers.first?.mData?.assumingMemoryBound(to: Float.self) else {
                    return kAudio_ParamError
                }
                let samples = UnsafeMutableBufferPointer(start: output, count: Int(frameCount))
                isSilence.pointee = ObjCBool(!mix.fill(samples))
                return noErr
            }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: format)
            let inputRate = form.input == nil ? 0 : engine.inputNode.outputFormat(forBus: 0).sampleRate
            guard let rate = EngineWiring.mixerRate(form, inputRate: inputRate) else { return }
            let shared = AVAudioFormat(standardFormatWithSampleRate: rate, channels: 1)
            engine.connect(engine.mainMixerNode, to: engine.outputNode, format: shared)
        }

        func start() throws(DeviceError) {
            guard let engine, !engine.isRunning else { return }
            if (try? engine.start()) == nil {
                throw DeviceError(.busy, "sound cannot be started while another app has the microphone")
            }
        }

        func stop() { engine?.stop() }

        func release() {
            if let observer { NotificationCenter.default.removeObserver(observer) }
            (engine, observer) = (nil, nil)
        }
    }
#endif
