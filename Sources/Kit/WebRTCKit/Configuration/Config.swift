/// How a ``WebRTCController`` makes calls. It is best kept in a JSON file:
///
/// ```swift
/// let config = try JSONDecoder().decode(Config.self, from: Data(contentsOf: url))
/// ```
///
/// Decoding checks every value and throws a ``ConfigError`` that names the field. One that is made in code can be
/// checked by ``validate()``; a controller does so before it makes a connection.
public struct Config: Sendable, Hashable, Codable {
    /// The servers by which two peers behind NATs find a path to each other.
    ///
    /// Those that the signalling server offers come beside them. Without any, only peers of one network meet, and those
    /// with public addresses.
    public let iceServers: [RTCIceServer]

    /// How many seconds a call may be `connecting`, the first time and after each loss of its path, before it ends.
    public let connectionTimeout: UInt64

    /// How much video may take.
    public let video: BitrateConfig

    /// How much sound may take.
    public let audio: BitrateConfig

    /// - Parameters:
    ///   - iceServers: STUN and TURN servers, beside those of the signalling server.
    ///   - connectionTimeout: In seconds, 1 or more.
    ///   - video: How much video may take.
    ///   - audio: How much sound may take.
    public init(
        iceServers: [RTCIceServer] = [], connectionTimeout: UInt64 = 30, video: BitrateConfig = .defaultForVideo,
        audio: BitrateConfig = .defaultForAudio
    ) {
        self.iceServers = iceServers
        self.connectionTimeout = connectionTimeout
        self.video = video
        self.audio = audio
    }

    private enum CodingKeys: CodingKey {
        case iceServers, connectionTimeout, video, audio
    }

    /// - Throws: ``ConfigError``
    public init(from decoder: any Decoder) throws {
        let container = try decoder.configContainer(keyedBy: CodingKeys.self)
        iceServers = try container.field(.iceServers, expected: "a list of servers; [] for none")
        connectionTimeout = try container.field(.connectionTimeout, expected: "a whole number of seconds, 1 or more")
        video = try container.field(.video, expected: "the nine values of a BitrateConfig")
        audio = try container.field(.audio, expected: "the nine values of a BitrateConfig")
        try validateTimeout(at: ConfigError.Path(decoder.codingPath))
    }

    /// Checks every value.
    ///
    /// - Throws: What is wrong with the first one that cannot be used.
    public func validate() throws(ConfigError) {
        let path = ConfigError.Path()
        for (index, server) in iceServers.enumerated() { try server.validate(at: path["iceServers"][index]) }
        try validateTimeout(at: path)
        try video.validate(at: path["video"])
        try audio.validate(at: path["audio"])
    }

    private func validateTimeout(at path: ConfigError.Path) throws(ConfigError) {
        guard connectionTimeout > 0 else {
            throw path["connectionTimeout"].error("is 0", remedy: "write seconds, 1 or more")
        }
    }

    /// ``connectionTimeout`` as a time, at most a year.
    var connectionTimeLimit: Duration { .seconds(min(connectionTimeout, 365 * 86_400)) }
}
