import Synchronization

/// Sound on its way from the sound card's thread, which must not wait and must not allocate, to one that may.
///
/// One thread writes, and one takes. What does not fit is left out.
final class SampleRing: @unchecked Sendable {
    // The writer touches what is not written yet, the taker what is not taken yet; the counts are told from one to the other.
    private let samples: UnsafeMutableBufferPointer<Float>
    private let written = Atomic(0)
    private let taken = Atomic(0)

    init(capacity: Int) {
        samples = .allocate(capacity: capacity)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    /// - Returns: Whether there was room for all of them; otherwise none is written.
    func write(_ new: UnsafeBufferPointer<Float>) -> Bool {
        let begin = written.load(ordering: .relaxed)
        guard new.count <= samples.count - (begin - taken.load(ordering: .acquiring)) else { return false }
        for (index, sample) in new.enumerated() { samples[(begin + index) % samples.count] = sample }
        written.store(begin + new.count, ordering: .releasing)
        return true
    }

    /// All that is written, as whole numbers.
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
