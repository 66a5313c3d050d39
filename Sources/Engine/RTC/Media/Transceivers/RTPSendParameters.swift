public import RTCMedia
public import RTCWire

/// The encoding parameters of a sender (W3C RTCRtpSendParameters, with one encoding). Set them with
/// ``RTPSender/setParameters(_:)``: they take effect at once, without renegotiation.
public struct RTPSendParameters: Sendable, Hashable {
    /// Whether the track is sent.
    public var isActive = true

    /// The maximum bitrate. `nil` lets the engine decide: for video according to the frame size, for Opus 32 kbit/s per
    /// channel. Congestion control may send less: all media together get at most 10 Mbit/s, unless data channels are in use.
    public var maxBitrate: Bitrate?

    /// The minimum bitrate of audio, regardless of congestion; `nil` for 6 kbit/s. The bitrate of video is reduced
    /// first: audio keeps 24 kbit/s as long as video can be reduced.
    public var minBitrate: Bitrate?

    /// The maximum frame rate in frames per second, 1 to 240. `nil` for the frame rate of the track.
    public var maxFramerate: Double?

    /// What to give up first while the network or the processor is too slow: size or frame rate. `nil` follows the track's
    /// ``VideoTrack/contentHint``: the frame rate for text and details, the size for motion, otherwise
    /// ``DegradationPreference/balanced``.
    public var degradationPreference: DegradationPreference?

    /// The factor by which width and height are reduced, 1 or more.
    public var scaleResolutionDownBy = 1.0

    /// The temporal layers of VP8 and VP9 (W3C webrtc-svc). `nil` lets the engine decide, which sends one layer. Ignored for
    /// H.264, which has no layers here. A change causes a key frame.
    ///
    /// With `ScalabilityMode.l1t2`, half of the frames are not referred to by others: if one is lost, it is missing, and
    /// the video continues without repair. See `docs/video.md` for what that costs and gives.
    public var scalabilityMode: ScalabilityMode?

    /// The negotiated codec to use. `nil`, or a codec that was not negotiated, selects the first one.
    public var codec: RTPCodec?

    /// Whether silence is not transmitted (RFC 7587, `usedtx`). This saves bitrate, but some receivers play an
    /// unnatural silence.
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

    /// The codec to send with, among the negotiated ones.
    func choose(from codecs: [RTPCodec]) -> RTPCodec? {
        let usable = codecs.filter { $0.format != nil }
        if let codec {
            let exact = usable.first { $0.format == codec.format && $0.formatParameters == codec.formatParameters }
            if let chosen = exact ?? usable.first(where: { $0.format == codec.format }) { return chosen }
        }
        return usable.first
    }
}
