internal import CNIOBoringSSL
import RTCWire

/// Cryptographically secure random numbers, drawn from BoringSSL in blocks.
///
/// One per peer: it is not safe for use from two threads at once.
package final class SystemRandom: RandomSource {
    /// Numbers drawn in advance; those before `next` were returned and erased.
    private var block = [UInt64](repeating: 0, count: 32)
    private var position: Int

    package init() {
        position = block.count
    }

    package func next() -> UInt64 {
        if position == block.count { refill() }
        let number = block[position]
        // A returned number may now serve as a secret.
        block[position] = 0
        position += 1
        return number
    }

    private func refill() {
        block.withUnsafeMutableBytes {
            // Cannot fail: the library aborts the process without entropy.
            _ = RAND_bytes($0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
        }
        position = 0
    }
}
