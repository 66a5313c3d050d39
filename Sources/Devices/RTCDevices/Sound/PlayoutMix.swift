import RTCFrames
import Synchronization

/// What an engine plays: the sum of what all who play have.
// `scratch` is the sound card's thread's alone, of which there is one at a time.
final class PlayoutMix: @unchecked Sendable {
    typealias Fill = @Sendable (UnsafeMutableBufferPointer<Int16>) -> Bool

    /// The most that is filled at once, in samples.
    private static let limit = 8_192
    private let players = Mutex<[(client: Int, fill: Fill)]>([])
    private let scratch = UnsafeMutableBufferPointer<Int16>.allocate(capacity: limit)

    /// What the engine asks for, in hertz, whatever the output has.
    static let sampleRate = 48_000

    init() {}

    deinit { scratch.deallocate() }

    func add(_ fill: @escaping Fill, as client: Int) { players.withLock { $0.append((client, fill)) } }

    func remove(_ client: Int) {
        let old = players.withLock { players in
            defer { players.removeAll { $0.client == client } }
            return players.first { $0.client == client }
        }
        // What goes with the closure does not go under the lock.
        withExtendedLifetime(old) {}
    }

    /// On the sound card's thread.
    ///
    /// - Returns: Whether there is any sound.
    func fill(_ output: UnsafeMutableBufferPointer<Float>) -> Bool {
        output.update(repeating: 0)
        return players.withLock { players in
            var isSound = false
            for (_, fill) in players {
                var rest = output[...]
                while !rest.isEmpty {
                    let samples = UnsafeMutableBufferPointer(rebasing: scratch[..<min(Self.limit, rest.count)])
                    if fill(samples) {
                        isSound = true
                        for (index, sample) in zip(rest.indices, samples) {
                            output[index] = max(-1, min(1, output[index] + Float(sample) / 32_768))
                        }
                    }
                    rest = rest.dropFirst(samples.count)
                }
            }
            return isSound
        }
    }
}

/// Gives what a microphone brings to all who record.
final class AudioFanOut: AudioSink {
    private let sinks = Mutex<[Int: any AudioSink]>([:])

    func add(_ sink: any AudioSink, as client: Int) { sinks.withLock { $0[client] = sink } }

    func remove(_ client: Int) {
        let old = sinks.withLock { $0.removeValue(forKey: client) }
        withExtendedLifetime(old) {}
    }

    func deliver(_ frame: AudioFrame) {
        for sink in sinks.withLock({ Array($0.values) }) { sink.deliver(frame) }
    }
}
