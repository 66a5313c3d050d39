public import RTCMedia
public import RTCWire

/// How a sender encodes its track (W3C RTCRtpSendParameters, with its one encoding). Takes effect at once, without
/// negotiation: ``RTPSender/setParameters(_:)``.
public struct RTPSendParameters: Sendable, Hashable {
    /// Whether anything is sent.
    public var isActive = true

    /// The most that is sent. `nil` leaves it to the engine: for video, what suits the picture's size; for Opus, 32 kbit/s
    /// for each channel. What the network bears may be less.
    public var maxBitrate: Bitrate?

    /// The least that is sent of sound, whatever the path carries; `nil` for 6 kbit/s. Pictures give way first: sound keeps 24
    /// kbit/s as long as they can be cut.
    public var minBitrate: Bitrate?

    /// The most pictures a second, 1 to 240. `nil` sends what the track has.
    public var maxFramerate: Double?

    /// By how much width and height are made smaller, 1 or more.
    public var scaleResolutionDownBy = 1.0

    /// Which of the negotiated codecs to use. `nil`, or one that was not negotiated, uses the first.
    public var codec: RTPCodec?

    /// Whether silence is left out (RFC 7587, `usedtx`). Saves bitrate; some receivers then play an unnatural silence.
    public var discontinuousTransmission = false

    public init() {}

    /// - Throws: ``RTCError`` `invalidArgument`.
    func validate() throws(RTCError) {
        if let maxFramerate, !(maxFramerate >= 1 && maxFramerate <= 240) {
            throw RTCError(code: .invalidArgument, message: "maxFramerate is \(maxFramerate): use 1 to 240, or nil")
        }
        if let maxBitrate, maxBitrate.bitsPerSecond <= 0 {
            throw RTCError(
                code: .invalidArgument,
                message: "maxBitrate is \(maxBitrate.bitsPerSecond) bit/s: use more than 0; isActive turns sending off")
        }
        if let minBitrate, minBitrate.bitsPerSecond <= 0 {
            throw RTCError(
                code: .invalidArgument, message: "minBitrate is \(minBitrate.bitsPerSecond) bit/s: use more than 0")
        }
        if !(scaleResolutionDownBy >= 1 && scaleResolutionDownBy <= 1_024) {
            throw RTCError(
                code: .invalidArgument,
                message: "scaleResolutionDownBy is \(scaleResolutionDownBy): use 1 for the whole size, or up to 1,024")
        }
    }

    /// The codec to send with, of those that were agreed upon.
    func choose(from codecs: [RTPCodec]) -> RTPCodec? {
        let usable = codecs.filter { $0.format != nil }
        if let codec {
            let exact = usable.first { $0.format == codec.format && $0.formatParameters == codec.formatParameters }
            if let chosen = exact ?? usable.first(where: { $0.format == codec.format }) { return chosen }
        }
        return usable.first
    }
}
