/// The configuration of a ``WebRTCController``: ICE servers, time limits and bitrates. Usually kept in a JSON file:
///
/// ```swift
/// let config = try JSONDecoder().decode(Config.self, from: Data(contentsOf: url))
/// ```
///
/// Decoding validates every value, and throws a ``ConfigError`` that names the field. Check a configuration that is
/// made in code with ``validate()``; a controller also does so before it connects.
public struct Config: Sendable, Hashable, Codable {
    /// The STUN and TURN servers with which two peers behind NATs find a path to each other.
    ///
    /// The servers that the signalling server offers are used in addition. Without any server, only peers on the same
    /// network and peers with public addresses can connect.
    public let iceServers: [RTCIceServer]

    /// The time limit for establishing a connection, in seconds, at the start of a call and whenever its path is lost.
    /// The call ends after it.
    public let connectionTimeout: UInt64

    /// The bitrate of video.
    public let video: BitrateConfig

    /// The bitrate of audio.
    public let audio: BitrateConfig

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - iceServers: STUN and TURN servers, in addition to those of the signalling server.
    ///   - connectionTimeout: The time limit for establishing a connection in seconds, 1 or more.
    ///   - video: The bitrate of video.
    ///   - audio: The bitrate of audio.
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

    /// Decodes and validates a configuration.
    ///
    /// - Throws: ``ConfigError``
    public init(from decoder: any Decoder) throws {
        let container = try decoder.configContainer(keyedBy: CodingKeys.self)
        iceServers = try container.field(.iceServers, expected: "a list of servers; [] for none")
        connectionTimeout = try container.field(.connectionTimeout, expected: "a whole number of seconds, 1 or more")
        video = try container.field(.video, expected: "the nine values of a BitrateConfig")
        audio = try container.field(.audio, expected: "the nine values of a BitrateConfig")
        try validateTimeout(at: ConfigError.Path(decoder.codingPath))
    }

    /// Checks all values.
    ///
    /// - Throws: A ``ConfigError`` that names the first invalid value.
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

    /// ``connectionTimeout``, limited to a year.
    var connectionTimeLimit: Duration { .seconds(min(connectionTimeout, 365 * 86_400)) }
}
