/// The bitrate limits of one kind of media, and how the bitrate follows packet loss. Bitrates are in bits per second;
/// all other values are fractions, 0 to 1.
///
/// - If the packet loss of the last second is at least ``criticalPacketLossThreshold``, the bitrate drops by
///   ``bitrateStepCriticalDown``.
/// - Every 5 seconds, the packet loss of the last 10 seconds counts. If it is at least ``highPacketLossThreshold``, the
///   bitrate goes down by ``bitrateStepDown``; if it is below ``lowPacketLossThreshold``, up by ``bitrateStepUp``.
///
/// Congestion control may send less than this at any time.
public struct BitrateConfig: Sendable, Hashable, Codable {
    /// The minimum bitrate, in bits per second.
    public let minBitrate: Int
    /// The maximum bitrate, in bits per second.
    public let maxBitrate: Int
    /// The bitrate at the start of a call, in bits per second.
    public let startBitrate: Int
    /// The fraction by which the bitrate increases while the packet loss is low.
    public let bitrateStepUp: Double
    /// The fraction by which the bitrate decreases while the packet loss is high.
    public let bitrateStepDown: Double
    /// The fraction by which the bitrate decreases when the packet loss is critical.
    public let bitrateStepCriticalDown: Double
    /// The packet loss, as a fraction, from which it is critical.
    public let criticalPacketLossThreshold: Double
    /// The packet loss, as a fraction, from which it is high.
    public let highPacketLossThreshold: Double
    /// The packet loss, as a fraction, below which it is low.
    public let lowPacketLossThreshold: Double

    public init(
        minBitrate: Int, maxBitrate: Int, startBitrate: Int, bitrateStepUp: Double, bitrateStepDown: Double,
        bitrateStepCriticalDown: Double, criticalPacketLossThreshold: Double, highPacketLossThreshold: Double,
        lowPacketLossThreshold: Double
    ) {
        self.minBitrate = minBitrate
        self.maxBitrate = maxBitrate
        self.startBitrate = startBitrate
        self.bitrateStepUp = bitrateStepUp
        self.bitrateStepDown = bitrateStepDown
        self.bitrateStepCriticalDown = bitrateStepCriticalDown
        self.criticalPacketLossThreshold = criticalPacketLossThreshold
        self.highPacketLossThreshold = highPacketLossThreshold
        self.lowPacketLossThreshold = lowPacketLossThreshold
    }

    /// Creates limits with the default steps and thresholds. Bitrates are in bits per second.
    package init(_ limits: ClosedRange<Int>, start: Int) {
        self.init(
            minBitrate: limits.lowerBound, maxBitrate: limits.upperBound, startBitrate: start, bitrateStepUp: 0.15,
            bitrateStepDown: 0.15, bitrateStepCriticalDown: 0.25, criticalPacketLossThreshold: 0.10,
            highPacketLossThreshold: 0.05, lowPacketLossThreshold: 0.01)
    }

    public static var defaultForVideo: BitrateConfig { BitrateConfig(100_000...6_000_000, start: 1_000_000) }

    public static var defaultForAudio: BitrateConfig { BitrateConfig(6_000...96_000, start: 16_000) }
}

// MARK: - Rejections

extension BitrateConfig {
    private enum CodingKeys: CodingKey {
        case minBitrate, maxBitrate, startBitrate
        case bitrateStepUp, bitrateStepDown, bitrateStepCriticalDown
        case criticalPacketLossThreshold, highPacketLossThreshold, lowPacketLossThreshold
    }

    private static let bitrates = "a whole number of bits per second, 1 or more"
    private static let shares = "a number from 0 to 1"

    /// Decodes and validates the limits.
    ///
    /// - Throws: ``ConfigError``
    public init(from decoder: any Decoder) throws {
        let container = try decoder.configContainer(keyedBy: CodingKeys.self)
        func bitrate(_ key: CodingKeys) throws -> Int { try container.field(key, expected: Self.bitrates) }
        func share(_ key: CodingKeys) throws -> Double { try container.field(key, expected: Self.shares) }
        minBitrate = try bitrate(.minBitrate)
        maxBitrate = try bitrate(.maxBitrate)
        startBitrate = try bitrate(.startBitrate)
        bitrateStepUp = try share(.bitrateStepUp)
        bitrateStepDown = try share(.bitrateStepDown)
        bitrateStepCriticalDown = try share(.bitrateStepCriticalDown)
        criticalPacketLossThreshold = try share(.criticalPacketLossThreshold)
        highPacketLossThreshold = try share(.highPacketLossThreshold)
        lowPacketLossThreshold = try share(.lowPacketLossThreshold)
        try validate(at: ConfigError.Path(decoder.codingPath))
    }

    /// Checks all values: bitrates are positive and minimum ≤ start ≤ maximum; fractions are within 0 to 1; the loss
    /// thresholds are in order.
    ///
    /// - Throws: A ``ConfigError`` that names the first invalid value.
    public func validate() throws(ConfigError) {
        try validate(at: ConfigError.Path())
    }

    func validate(at path: ConfigError.Path) throws(ConfigError) {
        guard minBitrate > 0 else {
            throw path["minBitrate"].error("is \(minBitrate)", remedy: "write \(Self.bitrates)")
        }
        guard maxBitrate >= minBitrate else {
            throw path["maxBitrate"].error(
                "is \(maxBitrate), below minBitrate", remedy: "write \(minBitrate) or more, or a lower minBitrate")
        }
        guard startBitrate >= minBitrate, startBitrate <= maxBitrate else {
            throw path["startBitrate"].error(
                "is \(startBitrate), outside of minBitrate and maxBitrate",
                remedy: "write \(minBitrate) to \(maxBitrate)")
        }
        let shares = [
            ("bitrateStepUp", bitrateStepUp), ("bitrateStepDown", bitrateStepDown),
            ("bitrateStepCriticalDown", bitrateStepCriticalDown),
            ("criticalPacketLossThreshold", criticalPacketLossThreshold),
            ("highPacketLossThreshold", highPacketLossThreshold), ("lowPacketLossThreshold", lowPacketLossThreshold),
        ]
        for (name, share) in shares where !(share >= 0 && share <= 1) {
            throw path[name].error("is \(share)", remedy: "write \(Self.shares)")
        }
        guard highPacketLossThreshold >= lowPacketLossThreshold else {
            throw path["highPacketLossThreshold"].error(
                "is \(highPacketLossThreshold), below lowPacketLossThreshold",
                remedy: "write \(lowPacketLossThreshold) or more")
        }
        guard criticalPacketLossThreshold >= highPacketLossThreshold else {
            throw path["criticalPacketLossThreshold"].error(
                "is \(criticalPacketLossThreshold), below highPacketLossThreshold",
                remedy: "write \(highPacketLossThreshold) or more")
        }
    }
}
