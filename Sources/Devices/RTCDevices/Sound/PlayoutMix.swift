import RTCFrames
import Synchronization

/// The audio that an engine plays: the sum of what all clients play.
// `scratch` is used on the audio thread alone; there is one at a time.
final class PlayoutMix: @unchecked Sendable {
    typealias Fill = @Sendable (UnsafeMutableBufferPointer<Int16>) -> Bool

    /// The most samples that are filled at once.
    private static let limit = 8_192
    private let players = Mutex<[(client: Int, fill: Fill)]>([])
    private let scratch = UnsafeMutableBufferPointer<Int16>.allocate(capacity: limit)

    /// The rate that is requested from the clients, in hertz, whatever the output's rate.
    static let sampleRate = 48_000

    init() {}

    deinit { scratch.deallocate() }

    func add(_ fill: @escaping Fill, as client: Int) { players.withLock { $0.append((client, fill)) } }

    func remove(_ client: Int) {
        let old = players.withLock { players in
            defer { players.removeAll { $0.client == client } }
            return players.first { $0.client == client }
        }
        // Released outside the lock.
        withExtendedLifetime(old) {}
    }

    /// Called on the audio thread.
    ///
    /// - Returns: Whether there is any audio.
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

/// Passes the recorded audio to all clients that record.
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
