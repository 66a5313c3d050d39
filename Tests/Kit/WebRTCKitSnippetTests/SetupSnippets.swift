import Foundation
import WebRTCKit

// The snippets of the original WebRTCKit's README, its chapters “Setup”, “Config” and “Custom Audio Device”, as they
// stand there.

func setUpWebRTCKit(config: Config) async -> (WebRTCController, SignalingServerConnectionImpl) {
    let signalingServer = await SignalingServerConnectionImpl()
    let webRTCController = await WebRTCKit.initialize(
        signalingServer: signalingServer,
        config: config
    )
    return (webRTCController, signalingServer)
}

func passAudioDevice(signalingServer: SignalingServerConnectionImpl, config: Config, audioDevice: FakeAudioDevice) {
    WebRTCKit.initialize(
        signalingServer: signalingServer,
        config: config,
        audioDevice: audioDevice  // pass your custom audio device here
    )
}

let printedConfig = """
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

/// What the README prints of `Config`, as a type of its own.
public struct PrintedConfig {
    /// The ICE-Servers to use for connection establishment.
    public let iceServers: [RTCIceServer]

    /// The number of seconds we can be in the connecting state before aborting the call.
    public let connectionTimeout: UInt64

    /// The bitrate configuration for video data.
    public let video: BitrateConfig

    /// The bitrate configuration for audio data.
    public let audio: BitrateConfig

    init(_ config: Config) {
        iceServers = config.iceServers
        connectionTimeout = config.connectionTimeout
        video = config.video
        audio = config.audio
    }
}

/// What the README prints of `BitrateConfig`, as a type of its own.
public struct PrintedBitrateConfig {
    /// The bitrate does not go below this value.
    let minBitrate: Int

    /// The bitrate does not go above this value.
    let maxBitrate: Int

    /// The initial bitrate to try when the call starts.
    let startBitrate: Int

    /// If network conditions are good, step up this percentage (value between 0-1).
    let bitrateStepUp: Double

    /// If network conditions are bad, step down this percentage (value between 0-1).
    let bitrateStepDown: Double

    /// If network conditions are critical, step down this percentage (value between 0-1).
    let bitrateStepCriticalDown: Double

    /// The percentage threshold when packet loss counts as critical (value between 0-1).
    let criticalPacketLossThreshold: Double

    /// The percentage threshold when packet loss counts as high (value between 0-1).
    let highPacketLossThreshold: Double

    /// The percentage threshold under which packet loss counts as low (value between 0-1).
    let lowPacketLossThreshold: Double

    init(_ config: BitrateConfig) {
        minBitrate = config.minBitrate
        maxBitrate = config.maxBitrate
        startBitrate = config.startBitrate
        bitrateStepUp = config.bitrateStepUp
        bitrateStepDown = config.bitrateStepDown
        bitrateStepCriticalDown = config.bitrateStepCriticalDown
        criticalPacketLossThreshold = config.criticalPacketLossThreshold
        highPacketLossThreshold = config.highPacketLossThreshold
        lowPacketLossThreshold = config.lowPacketLossThreshold
    }
}

/// The defaults, as the README prints them.
public enum PrintedDefaults {
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
