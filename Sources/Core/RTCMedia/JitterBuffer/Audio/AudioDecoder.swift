/// Decodes the packets of one audio stream to samples, in order and on one thread.
///
/// Samples are interleaved 16-bit integers at ``sampleRate``. "Samples" in a count always means samples of one channel.
/// Packets come from the network: for invalid data a decoder returns `nil` and remains usable.
@usableFromInline package protocol AudioDecoder: AnyObject {
    /// The output sample rate in hertz, which may differ from the RTP clock rate.
    var sampleRate: Int { get }
    var channels: Int { get }

    /// How long `payload` plays, in samples, read from it without decoding; `nil` when it is not a packet of this codec.
    func duration(of payload: RawSpan) -> Int?

    /// Decodes the packet that follows the one before.
    ///
    /// - Parameter output: Has room for 120 ms.
    /// - Returns: The number of samples, or `nil` when the payload cannot be decoded.
    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int?

    /// Whether `payload` carries the packet before it once more, in lower quality (RFC 7587, section 3.3).
    func carriesPreviousPacket(_ payload: RawSpan) -> Bool

    /// Decodes, from `next`, the lost packet before it, of `samples` samples.
    ///
    /// - Returns: The number of samples, or `nil` when there is nothing to recover it from.
    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int?

    /// Generates audio in place of a lost packet.
    ///
    /// - Returns: The number of samples, or `nil` when the codec has no concealment of its own.
    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int?

    /// Forgets the past, as at the beginning of a stream.
    func reset()
}
