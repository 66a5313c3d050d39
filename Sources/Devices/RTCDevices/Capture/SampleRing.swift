import Synchronization

/// Passes samples from the audio thread, which must not wait or allocate, to another thread.
///
/// One thread writes, and one takes. Samples that do not fit are dropped.
final class SampleRing: @unchecked Sendable {
    // The writer touches only free places and the taker only written ones; each thread publishes its count to the
    // other.
    private let samples: UnsafeMutableBufferPointer<Float>
    private let written = Atomic(0)
    private let taken = Atomic(0)

    init(capacity: Int) {
        samples = .allocate(capacity: capacity)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    /// - Returns: Whether all of them fitted; otherwise none is written.
    func write(_ new: UnsafeBufferPointer<Float>) -> Bool {
        let begin = written.load(ordering: .relaxed)
        guard new.count <= samples.count - (begin - taken.load(ordering: .acquiring)) else { return false }
        for (index, sample) in new.enumerated() { samples[(begin + index) % samples.count] = sample }
        written.store(begin + new.count, ordering: .releasing)
        return true
    }

    /// Takes all written samples, as 16-bit integers.
    func take() -> [Int16] {
        let begin = taken.load(ordering: .relaxed)
        let end = written.load(ordering: .acquiring)
        defer { taken.store(end, ordering: .releasing) }
        return (begin..<end).map { index in
            let sample = samples[index % samples.count]
            return sample.isFinite ? Int16(max(-1, min(1, sample)) * 32_767) : 0
        }
    }
}
