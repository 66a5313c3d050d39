import Dispatch
import RTCFrames
import RTCWire
import Synchronization

/// Takes sound on the thread of a sound card, which neither waits nor allocates here, and hands it on from a queue in pieces of
/// 10 ms at 48 kHz.
final class MicrophoneIntake: Sendable {
    /// One connection of a microphone, with one rate.
    // `@unchecked`: sources may be told of data on any thread.
    final class Connection: @unchecked Sendable {
        private let ring: SampleRing
        private let source: any DispatchSourceUserDataAdd
        fileprivate let sampleRate: Int

        /// - Parameter drain: Called on the queue when there is something to take.
        fileprivate init(sampleRate: Int, queue: DispatchQueue, drain: @escaping @Sendable (Connection) -> Void) {
            self.sampleRate = sampleRate
            // Half a second: more is not kept.
            ring = SampleRing(capacity: max(1, sampleRate / 2))
            source = DispatchSource.makeUserDataAddSource(queue: queue)
            source.setEventHandler { [weak self] in if let self { drain(self) } }
            source.resume()
        }

        deinit { source.cancel() }

        /// On the sound card's thread.
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

    /// What comes by an earlier connection is not handed on any more.
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
        // While nobody listens, what comes is taken all the same, so that nothing old is left.
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
