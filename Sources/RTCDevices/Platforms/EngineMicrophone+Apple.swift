#if canImport(AVFoundation)
    import AVFAudio
    import AVFoundation
    import AudioToolbox
    import Dispatch
    import Foundation
    import RTCFrames
    import RTCWire

    /// One microphone by an audio engine's sink node; the system's voice processing, if that is wanted, with its effects (voice
    /// isolation) left to the person.
    // Everything but `device`, `onEvent` and `intake` is touched on the queue alone.
    final class EngineMicrophone: MicrophoneCapture, @unchecked Sendable {
        let device: MediaDevice
        private let processing: VoiceProcessing
        private let onEvent: @Sendable (CaptureEvent) -> Void
        private let queue = DispatchQueue(label: "duet.devices.microphone", qos: .userInitiated)
        private let intake = MicrophoneIntake()
        private var engine: AVAudioEngine?
        private var rules = EngineRules()
        /// Of the engine that there is.
        private var engineObserver: (any NSObjectProtocol)?
        private var sessionObserver: (any NSObjectProtocol)?

        init(
            device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) {
            self.device = device
            self.processing = processing
            self.onEvent = onEvent
        }

        func open() async -> Result<Void, DeviceError> {
            await withCheckedContinuation { continuation in
                queue.async {
                    let result = self.build()
                    if case .success = result { self.observeSession() }
                    continuation.resume(returning: result)
                }
            }
        }

        func start(delivering sink: any AudioSink) {
            intake.set(sink)
            queue.async { if self.engine != nil { self.carryOut(self.rules.start()) } }
        }

        func stop() {
            intake.set(nil)
            queue.async { self.carryOut(self.rules.stop()) }
        }

        func close() async {
            intake.set(nil)
            await withCheckedContinuation { continuation in
                queue.async {
                    self.letGo()
                    if let observer = self.sessionObserver { NotificationCenter.default.removeObserver(observer) }
                    self.sessionObserver = nil
                    continuation.resume()
                }
            }
        }

        // MARK: On the queue

        private func carryOut(_ steps: [EngineRules.Step]) {
            for step in steps {
                switch step {
                case .build:
                    letGo()
                    if case .failure(let error) = build() { return onEvent(.failed(error)) }
                case .start:
                    guard let engine, !engine.isRunning else { break }
                    if (try? engine.start()) == nil {
                        let reason = "the microphone cannot be started while another app has it"
                        return onEvent(.failed(DeviceError(.busy, reason)))
                    }
                case .stop: engine?.stop()
                case .tell(let event): onEvent(event)
                }
            }
        }

        private func letGo() {
            if let engineObserver { NotificationCenter.default.removeObserver(engineObserver) }
            engine?.stop()
            (engine, engineObserver) = (nil, nil)
            intake.disconnect()
        }

        private func build() -> Result<Void, DeviceError> {
            #if !os(macOS)
                guard useSession() else {
                    return .failure(DeviceError(.busy, "the app's audio session cannot record from \(device.name) now"))
                }
            #endif
            let engine = AVAudioEngine()
            let wantsProcessing = processing != .none
            if wantsProcessing, (try? engine.inputNode.setVoiceProcessingEnabled(true)) == nil {
                return .failure(DeviceError(.unsupported, "the system does not cancel the echo of \(device.name)"))
            }
            #if os(macOS)
                guard useDevice(engine.inputNode) else {
                    return .failure(DeviceError(.disconnected, "\(device.name) is not connected any more"))
                }
            #endif
            let format = engine.inputNode.outputFormat(forBus: 0)
            // To connect an input that is not there is an exception.
            guard format.sampleRate > 0, format.channelCount > 0 else {
                return .failure(DeviceError(.notFound, "there is no microphone to record from"))
            }
            let rate = format.sampleRate
            let connection = intake.connect(sampleRate: Int(rate))
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
            self.engine = engine
            rules.built(rate: rate)
            // It stops when the route is another one: a microphone came or went.
            engineObserver = observe(.AVAudioEngineConfigurationChange, of: engine) { microphone, _ in
                microphone.carryOut(microphone.rules.configurationChanged(rate: microphone.inputRate))
            }
            return .success(())
        }

        /// What the input has now.
        private var inputRate: Double { engine?.inputNode.outputFormat(forBus: 0).sampleRate ?? 0 }

        private func observeSession() {
            #if !os(macOS)
                sessionObserver = observe(AVAudioSession.interruptionNotification, of: nil) { microphone, type in
                    guard let type else { return }
                    if type == AVAudioSession.InterruptionType.began.rawValue {
                        microphone.carryOut(microphone.rules.interrupted())
                    } else {
                        microphone.carryOut(microphone.rules.interruptionEnded(rate: microphone.inputRate))
                    }
                }
            #endif
        }

        /// - Parameter react: Called on the queue, with the type of an interruption, if it is one.
        private func observe(
            _ name: Notification.Name, of object: AnyObject?,
            _ react: @escaping @Sendable (EngineMicrophone, UInt?) -> Void
        ) -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                @Sendable [weak self] notification in
                #if os(macOS)
                    let type: UInt? = nil
                #else
                    let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                #endif
                guard let self else { return }
                self.queue.async { if self.engine != nil { react(self, type) } }
            }
        }

        #if os(macOS)
            /// An engine takes the system's default, unless its input is told which one.
            private func useDevice(_ input: AVAudioInputNode) -> Bool {
                let uid = SystemDiscovery.ledger.withDevice(device.handle) { $0.uniqueID }
                guard let uid, let unit = input.audioUnit, var id = Self.audioDevice(uid) else { return false }
                return AudioUnitSetProperty(
                    unit, kAudioOutputUnitProperty_CurrentDevice, kAudioUnitScope_Global, 0, &id,
                    UInt32(MemoryLayout<AudioDeviceID>.size)) == noErr
            }

            private static let utf8: CFStringEncoding = 0x0800_0100

            private static func audioDevice(_ uid: String) -> AudioDeviceID? {
                var address = AudioObjectPropertyAddress(
                    mSelector: kAudioHardwarePropertyTranslateUIDToDevice, mScope: kAudioObjectPropertyScopeGlobal,
                    mElement: kAudioObjectPropertyElementMain)
                let bytes = Array(uid.utf8)
                guard var name = CFStringCreateWithBytes(nil, bytes, bytes.count, utf8, false) else { return nil }
                var id = kAudioObjectUnknown
                var size = UInt32(MemoryLayout<AudioDeviceID>.size)
                let status = withUnsafePointer(to: &name) { name in
                    AudioObjectGetPropertyData(
                        AudioObjectID(kAudioObjectSystemObject), &address, UInt32(MemoryLayout<CFString>.size), name,
                        &size, &id)
                }
                return status == noErr && id != kAudioObjectUnknown ? id : nil
            }
        #else
            private func useSession() -> Bool {
                let session = AVAudioSession.sharedInstance()
                if session.category != .playAndRecord,
                    (try? session.setCategory(.playAndRecord, mode: .videoChat, options: [.allowBluetoothHFP])) == nil
                {
                    return false
                }
                guard let id = InputPorts.port(of: device.handle) else { return true }
                guard let port = session.availableInputs?.first(where: { $0.uid == id }) else { return false }
                return (try? session.setPreferredInput(port)) != nil
            }
        #endif
    }
#endif
