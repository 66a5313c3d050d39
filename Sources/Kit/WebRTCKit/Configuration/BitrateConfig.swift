/// How a bitrate is adjusted to what the network bears. Bitrates are in bits per second; the rest are shares, 0 to 1.
///
/// - If the packet loss of the last second is at least ``criticalPacketLossThreshold``, the bitrate drops by
///   ``bitrateStepCriticalDown``.
/// - Every 5 seconds, the packet loss of the last 10 seconds counts. If it is at least ``highPacketLossThreshold``, the
///   bitrate goes down by ``bitrateStepDown``; if it is below ``lowPacketLossThreshold``, up by ``bitrateStepUp``.
///
/// This is the outer limit: congestion control may send less at any moment.
public struct BitrateConfig: Sendable, Hashable, Codable {
    /// The bitrate never goes below this, in bits per second.
    public let minBitrate: Int
    /// The bitrate never goes above this, in bits per second.
    public let maxBitrate: Int
    /// What a call begins with, in bits per second.
    public let startBitrate: Int
    /// By which share it goes up while conditions are good.
    public let bitrateStepUp: Double
    /// By which share it goes down while conditions are bad.
    public let bitrateStepDown: Double
    /// By which share it goes down when conditions are critical.
    public let bitrateStepCriticalDown: Double
    /// From which share of lost packets on the loss is critical.
    public let criticalPacketLossThreshold: Double
    /// From which share of lost packets on the loss is high.
    public let highPacketLossThreshold: Double
    /// Below which share of lost packets the loss is low.
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

    public static var defaultForVideo: BitrateConfig {
        BitrateConfig(
            minBitrate: 100_000,
            maxBitrate: 6_000_000,
            startBitrate: 1_000_000,
            bitrateStepUp: 0.15,
            bitrateStepDown: 0.15,
            bitrateStepCriticalDown: 0.25,
            criticalPacketLossThreshold: 0.10,
            highPacketLossThreshold: 0.05,
            lowPacketLossThreshold: 0.01
        )
    }

    public static var defaultForAudio: BitrateConfig {
        BitrateConfig(
            minBitrate: 6_000,
            maxBitrate: 96_000,
            startBitrate: 16_000,
            bitrateStepUp: 0.15,
            bitrateStepDown: 0.15,
            bitrateStepCriticalDown: 0.25,
            criticalPacketLossThreshold: 0.10,
            highPacketLossThreshold: 0.05,
            lowPacketLossThreshold: 0.01
        )
    }
}

// MARK: - What is refused

extension BitrateConfig {
    private enum CodingKeys: CodingKey {
        case minBitrate, maxBitrate, startBitrate
        case bitrateStepUp, bitrateStepDown, bitrateStepCriticalDown
        case criticalPacketLossThreshold, highPacketLossThreshold, lowPacketLossThreshold
    }

    private static let bitrates = "a whole number of bits per second, 1 or more"
    private static let shares = "a number from 0 to 1"

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

    /// Checks every value: bitrates are positive, the least is not above the first nor that above the most; shares are
    /// 0 to 1; and the thresholds are in order.
    ///
    /// - Throws: What is wrong with the first one that cannot be used.
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
