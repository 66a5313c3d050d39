import Dispatch
import RTCFrames
import RTCWire
import Synchronization

/// Takes audio on the audio thread without waiting or allocating, and passes it on from a queue in frames of 10 ms at
/// 48 kHz.
final class MicrophoneIntake: Sendable {
    /// One connection of a microphone, with one sample rate.
    // `@unchecked`: data may be added to a source on any thread.
    final class Connection: @unchecked Sendable {
        private let ring: SampleRing
        private let source: any DispatchSourceUserDataAdd
        fileprivate let sampleRate: Int

        /// - Parameter drain: Called on the queue when there are samples to take.
        fileprivate init(sampleRate: Int, queue: DispatchQueue, drain: @escaping @Sendable (Connection) -> Void) {
            self.sampleRate = sampleRate
            // The ring holds at most half a second.
            ring = SampleRing(capacity: max(1, sampleRate / 2))
            source = DispatchSource.makeUserDataAddSource(queue: queue)
            source.setEventHandler { [weak self] in if let self { drain(self) } }
            source.resume()
        }

        deinit { source.cancel() }

        /// Called on the audio thread.
        func take(_ samples: UnsafeBufferPointer<Float>) {
            if ring.write(samples) { source.add(data: 1) }
        }

        fileprivate func samples() -> [Int16] { ring.take() }
    }

    private let queue = DispatchQueue(label: "duet.devices.microphone.sound", qos: .userInteractive)
    private let sink = Mutex<(any AudioSink)?>(nil)
    private let current = Mutex<Connection?>(nil)
    private let framer = Mutex(AudioFramer(sampleRate: 48_000, channels: 1, samplesPerFrame: 480))

    func set(_ sink: (any AudioSink)?) {
        let old = self.sink.withLock { current in
            defer { current = sink }
            return current
        }
        withExtendedLifetime(old) {}
    }

    /// Audio of an earlier connection is not passed on any more.
    func connect(sampleRate: Int) -> Connection {
        let connection = Connection(sampleRate: sampleRate, queue: queue) { [weak self] in self?.drain($0) }
        exchange(connection)
        return connection
    }

    func disconnect() { exchange(nil) }

    private func exchange(_ connection: Connection?) {
        let old = current.withLock { current in
            defer { current = connection }
            return current
        }
        withExtendedLifetime(old) {}
    }

    private func drain(_ connection: Connection) {
        let samples = connection.samples()
        let rate = connection.sampleRate
        guard !samples.isEmpty, rate > 0, current.withLock({ $0 === connection }) else { return }
        let length = TimeDelta.nanoseconds(Int64(samples.count) * 1_000_000_000 / Int64(rate))
        // Samples are taken even without a sink, so that no old ones are left.
        guard let sink = sink.withLock({ $0 }) else { return }
        let frames = framer.withLock { framer in
            framer.append(AudioFrame(samples: samples, sampleRate: rate, channels: 1, timestamp: .now - length))
            var frames: [AudioFrame] = []
            while let frame = framer.nextFrame() { frames.append(frame) }
            return frames
        }
        for frame in frames { sink.deliver(frame) }
    }
}
