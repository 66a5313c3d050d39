/// What the receiver of a stream wishes of it (RFC 7587, section 6.1).
struct OpusParameters {
    var isStereo: Bool
    var usesInbandFEC: Bool
    var usesDTX: Bool
    var isConstantBitrate: Bool
    /// In hertz: more than this rate can carry, the receiver does not play.
    var maxPlaybackRate: Int
    /// In bits per second.
    var maxAverageBitrate: Int?

    init(_ parameters: FormatParameters) {
        isStereo = parameters["stereo"] == "1"
        usesInbandFEC = parameters["useinbandfec"] == "1"
        usesDTX = parameters["usedtx"] == "1"
        isConstantBitrate = parameters["cbr"] == "1"
        maxPlaybackRate = parameters["maxplaybackrate"].flatMap { Int($0) } ?? 48_000
        maxAverageBitrate = parameters["maxaveragebitrate"].flatMap { Int($0) }
    }
}
