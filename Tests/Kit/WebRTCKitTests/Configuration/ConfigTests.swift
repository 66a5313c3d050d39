import Foundation
import Logging
import RTC
import Testing

@testable import WebRTCKit

@Suite("The configuration and its JSON")
struct ConfigTests {
    /// As the original WebRTCKit's README prints it.
    static let printed = """
        {
            "iceServers": [
                {
                    "urlStrings": [
                        "stun:example.com:1234"
                    ]
                },
                {
                    "urlStrings": [
                        "turn:example.com:1234"
                    ],
                    "username": "username",
                    "credential": "credential"
                }
            ],
            "connectionTimeout": 30,
            "video": {
                "minBitrate": 100000,
                "maxBitrate": 6000000,
                "startBitrate": 1000000,
                "bitrateStepUp": 0.15,
                "bitrateStepDown": 0.15,
                "bitrateStepCriticalDown": 0.50,
                "criticalPacketLossThreshold": 0.10,
                "highPacketLossThreshold": 0.05,
                "lowPacketLossThreshold": 0.01
            },
            "audio": {
                "minBitrate": 6000,
                "maxBitrate": 96000,
                "startBitrate": 16000,
                "bitrateStepUp": 0.15,
                "bitrateStepDown": 0.15,
                "bitrateStepCriticalDown": 0.50,
                "criticalPacketLossThreshold": 0.10,
                "highPacketLossThreshold": 0.05,
                "lowPacketLossThreshold": 0.01
            }
        }
        """

    private func decode(_ json: String) throws -> Config {
        try JSONDecoder().decode(Config.self, from: Data(json.utf8))
    }

    @Test("Bitrates that no path has trap nowhere")
    func wildBitrates() throws {
        let wild = BitrateConfig(
            minBitrate: 1, maxBitrate: 4_000_000_000_000_000_000, startBitrate: 4_000_000_000_000_000_000,
            bitrateStepUp: 0.15, bitrateStepDown: 0.15, bitrateStepCriticalDown: 0.25, criticalPacketLossThreshold: 0.1,
            highPacketLossThreshold: 0.05, lowPacketLossThreshold: 0.01)
        let config = Config(video: wild, audio: wild)
        try config.validate()
        let configuration = config.connectionConfiguration(logger: Logger(label: "test"))
        #expect(configuration.media.startBitrate.bitsPerSecond == 8_000_000_000_000_000_000)
        // Before a packet has left there are a pacer, an estimate and encoders that begin with it.
        _ = try PeerConnection(configuration: configuration)
    }

    @Test("The example of the original's README decodes to what it says")
    func example() throws {
        let config = try decode(Self.printed)
        #expect(
            config.iceServers == [
                RTCIceServer(urlStrings: ["stun:example.com:1234"]),
                RTCIceServer(urlStrings: ["turn:example.com:1234"], username: "username", credential: "credential"),
            ])
        #expect(config.connectionTimeout == 30)
        #expect(config.video.minBitrate == 100_000 && config.video.maxBitrate == 6_000_000)
        #expect(config.video.startBitrate == 1_000_000)
        #expect(config.video.bitrateStepUp == 0.15 && config.video.bitrateStepDown == 0.15)
        #expect(config.video.bitrateStepCriticalDown == 0.5)
        #expect(config.video.criticalPacketLossThreshold == 0.1 && config.video.highPacketLossThreshold == 0.05)
        #expect(config.video.lowPacketLossThreshold == 0.01)
        #expect(config.audio.minBitrate == 6_000 && config.audio.maxBitrate == 96_000)
        #expect(config.audio.startBitrate == 16_000 && config.audio.bitrateStepCriticalDown == 0.5)
    }

    @Test("The defaults drop by 0.25 where the example drops by 0.50")
    func criticalStep() throws {
        #expect(BitrateConfig.defaultForVideo.bitrateStepCriticalDown == 0.25)
        #expect(BitrateConfig.defaultForAudio.bitrateStepCriticalDown == 0.25)
        #expect(BitrateConfig.defaultForVideo.maxBitrate == 6_000_000)
        try Config().validate()
        #expect(Config().connectionTimeout == 30 && Config().iceServers.isEmpty)
        #expect(Config().video == .defaultForVideo && Config().audio == .defaultForAudio)
    }

    @Test("Bug 10: A configuration that was encoded can be decoded, and is the same")
    func roundTrip() throws {
        var random = SystemRandomNumberGenerator()
        var configs = [Config(), try decode(Self.printed)]
        for _ in 0..<200 { configs.append(.random(using: &random)) }
        for config in configs {
            let data = try JSONEncoder().encode(config)
            #expect(try JSONDecoder().decode(Config.self, from: data) == config)
        }
    }

    @Test("JSON has the keys of the original's README and no others")
    func keys() throws {
        let config = Config(
            iceServers: [
                RTCIceServer(urlStrings: ["turn:a"], username: "u", credential: "c"),
                RTCIceServer(urlStrings: ["stun:a"]),
            ])
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(config)) as? [String: Any]
        let root = try #require(object)
        #expect(Set(root.keys) == ["iceServers", "connectionTimeout", "video", "audio"])
        let servers = try #require(root["iceServers"] as? [[String: Any]])
        #expect(Set(servers[0].keys) == ["urlStrings", "username", "credential"])
        #expect(Set(servers[1].keys) == ["urlStrings"])
        for name in ["video", "audio"] {
            let bitrates = try #require(root[name] as? [String: Any])
            #expect(
                Set(bitrates.keys) == [
                    "minBitrate", "maxBitrate", "startBitrate", "bitrateStepUp", "bitrateStepDown",
                    "bitrateStepCriticalDown", "criticalPacketLossThreshold", "highPacketLossThreshold",
                    "lowPacketLossThreshold",
                ])
        }
    }

    @Test("A credential does not get into a log by accident")
    func secrecy() {
        let config = Config(
            iceServers: [RTCIceServer(urlStrings: ["turn:example.com"], username: "u", credential: "top secret")])
        #expect(!"\(config)".contains("secret") && !"\(config.iceServers)".contains("secret"))
        #expect(!String(reflecting: config).contains("secret"))
    }

    // MARK: What is refused

    @Test(
        "What cannot be used is refused with the name of its field",
        arguments: [
            (#""connectionTimeout": 30"#, #""connectionTimeout": 0"#, "connectionTimeout"),
            (#""connectionTimeout": 30"#, #""connectionTimeout": -1"#, "connectionTimeout"),
            (#""connectionTimeout": 30"#, #""connectionTimeout": "30""#, "connectionTimeout"),
            (#""connectionTimeout": 30"#, #""connectionTimeout": 1.5"#, "connectionTimeout"),
            (#""connectionTimeout": 30"#, #""connectionTimeout": null"#, "connectionTimeout"),
            (#""connectionTimeout": 30,"#, "", "connectionTimeout"),
            (#""minBitrate": 100000,"#, "", "video.minBitrate"),
            (#""minBitrate": 100000"#, #""minBitrate": 0"#, "video.minBitrate"),
            (#""minBitrate": 100000"#, #""minBitrate": 1.5"#, "video.minBitrate"),
            (#""minBitrate": 100000"#, #""minBitrate": 1e40"#, "video.minBitrate"),
            (#""minBitrate": 100000"#, #""minBitrate": 2000000"#, "video.startBitrate"),
            (#""minBitrate": 100000"#, #""minBitrate": 7000000"#, "video.maxBitrate"),
            (#""startBitrate": 16000"#, #""startBitrate": 96001"#, "audio.startBitrate"),
            (#""startBitrate": 16000"#, #""startBitrate": 5999"#, "audio.startBitrate"),
            (#""bitrateStepUp": 0.15"#, #""bitrateStepUp": 1.01"#, "video.bitrateStepUp"),
            (#""bitrateStepDown": 0.15"#, #""bitrateStepDown": -0.01"#, "video.bitrateStepDown"),
            (#""bitrateStepCriticalDown": 0.50"#, #""bitrateStepCriticalDown": 50"#, "video.bitrateStepCriticalDown"),
            (
                #""criticalPacketLossThreshold": 0.10"#, #""criticalPacketLossThreshold": 0.04"#,
                "video.criticalPacketLossThreshold"
            ),
            (
                #""highPacketLossThreshold": 0.05"#, #""highPacketLossThreshold": 0.001"#,
                "video.highPacketLossThreshold"
            ),
            (#""lowPacketLossThreshold": 0.01"#, #""lowPacketLossThreshold": true"#, "video.lowPacketLossThreshold"),
            (#""username": "username","#, "", "iceServers[1].username"),
            (#""credential": "credential""#, #""credential": """#, "iceServers[1].credential"),
            (#""credential": "credential""#, #""credential": 1"#, "iceServers[1].credential"),
            (#""stun:example.com:1234""#, "", "iceServers[0].urlStrings"),
            (#""stun:example.com:1234""#, #""stun:a", "example.com:1234""#, "iceServers[0].urlStrings[1]"),
            (#""stun:example.com:1234""#, "3", "iceServers[0].urlStrings[0]"),
            (#""turn:example.com:1234""#, #""http://example.com""#, "iceServers[1].urlStrings[0]"),
            (#""iceServers": ["#, #""iceServers": 3, "other": ["#, "iceServers"),
            (#""iceServers": ["#, #""iceServers": [3,"#, "iceServers[0]"),
        ])
    func refusal(old: String, new: String, field: String) throws {
        let range = try #require(Self.printed.firstRange(of: old))
        let json = Self.printed.replacingCharacters(in: range, with: new)
        let error = #expect(throws: ConfigError.self) { try decode(json) }
        #expect(error?.field == field, "\(error.map(String.init(describing:)) ?? "no error")")
        #expect(error?.remedy.hasPrefix("write") == true)
    }

    @Test("The ends of what is allowed are allowed")
    func boundaries() throws {
        let least = BitrateConfig(
            minBitrate: 1, maxBitrate: 1, startBitrate: 1, bitrateStepUp: 0, bitrateStepDown: 0,
            bitrateStepCriticalDown: 0, criticalPacketLossThreshold: 0, highPacketLossThreshold: 0,
            lowPacketLossThreshold: 0)
        let most = BitrateConfig(
            minBitrate: .max, maxBitrate: .max, startBitrate: .max, bitrateStepUp: 1, bitrateStepDown: 1,
            bitrateStepCriticalDown: 1, criticalPacketLossThreshold: 1, highPacketLossThreshold: 1,
            lowPacketLossThreshold: 1)
        try Config(connectionTimeout: 1, video: least, audio: most).validate()
        try Config(connectionTimeout: .max, video: most, audio: least).validate()
        #expect(Config(connectionTimeout: .max).connectionTimeLimit == .seconds(365 * 86_400))
        #expect(Config(connectionTimeout: 1).connectionTimeLimit == .seconds(1))
    }

    @Test("Shares that are no numbers are refused", arguments: [Double.nan, .infinity, -.infinity])
    func notANumber(share: Double) {
        let bitrates = BitrateConfig(
            minBitrate: 1, maxBitrate: 1, startBitrate: 1, bitrateStepUp: 0, bitrateStepDown: share,
            bitrateStepCriticalDown: 0, criticalPacketLossThreshold: 0, highPacketLossThreshold: 0,
            lowPacketLossThreshold: 0)
        let error = #expect(throws: ConfigError.self) { try Config(audio: bitrates).validate() }
        #expect(error?.field == "audio.bitrateStepDown")
        #expect(throws: ConfigError.self) { try bitrates.validate() }
    }

    @Test("An error says which field, what is wrong, and what would be right")
    func words() {
        let config = Config(iceServers: [RTCIceServer(urlStrings: ["stun:host:99999"])])
        let error = #expect(throws: ConfigError.self) { try config.validate() }
        #expect(
            error?.description
                == "iceServers[0].urlStrings[0] is “stun:host:99999”, whose port is not a number from 1 to 65535: write "
                + "“stun:host:3478”; IPv6 addresses stand in brackets")
    }
}

extension Config {
    static func random(using random: inout some RandomNumberGenerator) -> Config {
        let servers = (0..<Int.random(in: 0...3, using: &random)).map { index in
            Bool.random(using: &random)
                ? RTCIceServer(urlStrings: ["stun:host\(index)", "stun:host:\(index + 1)"])
                : RTCIceServer(urlStrings: ["turns:[::\(index)]?transport=tcp"], username: "u\"é", credential: "\\")
        }
        return Config(
            iceServers: servers, connectionTimeout: .random(in: 1...UInt64.max, using: &random),
            video: .random(using: &random), audio: .random(using: &random))
    }
}

extension BitrateConfig {
    static func random(using random: inout some RandomNumberGenerator) -> BitrateConfig {
        let bitrates = (0..<3).map { _ in Int.random(in: 1...100_000_000, using: &random) }.sorted()
        let steps = (0..<3).map { _ in Double.random(in: 0...1, using: &random) }
        let thresholds = (0..<3).map { _ in Double.random(in: 0...1, using: &random) }.sorted()
        return BitrateConfig(
            minBitrate: bitrates[0], maxBitrate: bitrates[2], startBitrate: bitrates[1], bitrateStepUp: steps[0],
            bitrateStepDown: steps[1], bitrateStepCriticalDown: steps[2], criticalPacketLossThreshold: thresholds[2],
            highPacketLossThreshold: thresholds[1], lowPacketLossThreshold: thresholds[0])
    }
}
