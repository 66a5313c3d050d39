/// The preferences of a stream's receiver (RFC 7587, section 6.1).
struct OpusParameters {
    var isStereo: Bool
    var usesInbandFEC: Bool
    var usesDTX: Bool
    var isConstantBitrate: Bool
    /// The highest sample rate in hertz that the receiver plays.
    var maxPlaybackRate: Int
    /// The highest average bitrate in bits per second.
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
