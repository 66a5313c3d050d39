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
        private let intake = Intake()
        private var engine: AVAudioEngine?
        private var observers: [any NSObjectProtocol] = []
        private var isStarted = false

        init(
            device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) {
            self.device = device
            self.processing = processing
            self.onEvent = onEvent
        }

        func open() async -> Result<Void, DeviceError> {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.setUp()) }
            }
        }

        func start(delivering sink: any AudioSink) {
            intake.set(sink)
            queue.async {
                self.isStarted = true
                self.run()
            }
        }

        func stop() {
            intake.set(nil)
            queue.async {
                self.isStarted = false
                self.engine?.stop()
            }
        }

        func close() async {
            intake.set(nil)
            await withCheckedContinuation { continuation in
                queue.async {
                    for observer in self.observers { NotificationCenter.default.removeObserver(observer) }
                    self.engine?.stop()
                    (self.observers, self.engine, self.isStarted) = ([], nil, false)
                    continuation.resume()
                }
            }
        }

        // MARK: On the queue

        private func setUp() -> Result<Void, DeviceError> {
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
            let rate = engine.inputNode.outputFormat(forBus: 0).sampleRate
            guard rate > 0 else { return .failure(DeviceError(.notFound, "there is no microphone to record from")) }
            let intake = intake
            let sink = AVAudioSinkNode { _, frameCount, list in
                let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
                guard let input = buffers.first?.mData?.assumingMemoryBound(to: Float.self) else {
                    return kAudio_ParamError
                }
                intake.take(UnsafeBufferPointer(start: input, count: Int(frameCount)), sampleRate: Int(rate))
                return noErr
            }
            engine.attach(sink)
            engine.connect(engine.inputNode, to: sink, format: nil)
            self.engine = engine
            observe()
            return .success(())
        }

        private func run() {
            guard isStarted, let engine, !engine.isRunning else { return }
            if (try? engine.start()) == nil {
                onEvent(.failed(DeviceError(.busy, "the microphone cannot be started while another app has it")))
            }
        }

        private func observe() {
            // The engine stops when the route is another one: a microphone came or went.
            observe(.AVAudioEngineConfigurationChange) { microphone, _ in microphone.run() }
            #if !os(macOS)
                observe(AVAudioSession.interruptionNotification) { microphone, notification in
                    guard let type = notification else { return }
                    if type == AVAudioSession.InterruptionType.began.rawValue {
                        microphone.onEvent(.interrupted("a telephone call or another app has the microphone"))
                    } else {
                        microphone.run()
                        microphone.onEvent(.resumed)
                    }
                }
            #endif
        }

        /// - Parameter react: Called on the queue, with the type of an interruption, if it is one.
        private func observe(_ name: Notification.Name, _ react: @escaping @Sendable (EngineMicrophone, UInt?) -> Void)
        {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                    [weak self] notification in
                    #if os(macOS)
                        let type: UInt? = nil
                    #else
                        let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                    #endif
                    guard let self else { return }
                    self.queue.async { if self.engine != nil { react(self, type) } }
                })
        }

        #if !os(macOS)
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

        /// Takes sound on the thread of the sound card, and hands it on from a queue.
        private final class Intake: @unchecked Sendable {
            private let lock = Lock()
            private let queue = DispatchQueue(label: "duet.devices.microphone.sound", qos: .userInteractive)
            private var sink: (any AudioSink)?
            private var waiting: [Int16] = []
            private var sampleRate = 48_000
            private var isDraining = false
            /// Of the queue alone.
            private var framer = AudioFramer(sampleRate: 48_000, channels: 1, samplesPerFrame: 480)

            /// More than this is not kept: half a second at 48 kHz.
            private static let limit = 24_000

            init() { waiting.reserveCapacity(Self.limit) }

            func set(_ sink: (any AudioSink)?) {
                let old = lock.withLock {
                    defer { self.sink = sink }
                    return self.sink
                }
                withExtendedLifetime(old) {}
            }

            func take(_ samples: UnsafeBufferPointer<Float>, sampleRate: Int) {
                let begins = lock.withLock {
                    guard sink != nil, waiting.count + samples.count <= Self.limit else { return false }
                    self.sampleRate = sampleRate
                    for sample in samples { waiting.append(Int16(max(-1, min(1, sample)) * 32_767)) }
                    defer { isDraining = true }
                    return !isDraining
                }
                if begins { queue.async { self.drain() } }
            }

            private func drain() {
                let (samples, rate, sink) = lock.withLock {
                    defer {
                        waiting.removeAll(keepingCapacity: true)
                        isDraining = false
                    }
                    return (waiting, sampleRate, self.sink)
                }
                guard rate > 0 else { return }
                let length = TimeDelta.nanoseconds(Int64(samples.count) * 1_000_000_000 / Int64(rate))
                framer.append(AudioFrame(samples: samples, sampleRate: rate, channels: 1, timestamp: .now - length))
                while let frame = framer.nextFrame() { sink?.deliver(frame) }
            }
        }
    }
#endif
