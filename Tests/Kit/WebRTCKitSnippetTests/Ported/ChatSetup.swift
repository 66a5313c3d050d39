import Foundation
import WebRTCKit

/// How the app is set up: a configuration of its own, and a controller for a run or for a preview.
enum ChatSetup {
    static let config = WebRTCKit.Config(
        iceServers: [ICEServer(urlStrings: ["stun:127.0.0.1:3478"])], connectionTimeout: 20,
        video: WebRTCKit.Config.BitrateConfig(
            minBitrate: 100_000, maxBitrate: 2_000_000, startBitrate: 500_000, bitrateStepUp: 0.1, bitrateStepDown: 0.1,
            bitrateStepCriticalDown: 0.3, criticalPacketLossThreshold: 0.1, highPacketLossThreshold: 0.05,
            lowPacketLossThreshold: 0.01),
        audio: .defaultForAudio)

    static func controller(
        for mode: InitializingMode, socket: ChatSocket, audioDevice: sending RTCAudioDevice? = nil
    ) async -> WebRTCController {
        await WebRTCKit.initialize(
            for: mode,
            signalingServer: await ChatSignaling(socket: socket),
            config: config,
            enableVerboseLogging: false,
            audioDevice: audioDevice
        )
    }
}
