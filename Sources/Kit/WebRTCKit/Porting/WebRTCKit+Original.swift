internal import Logging

// How the original kit was set up, for apps that come from there.

/// What a controller is for.
public enum InitializingMode: Sendable {
    /// SwiftUI previews: nothing of the machine is used, and nobody is asked for anything. A test picture is the camera, a tone the
    /// microphone, our own ID is "0000", and nobody answers.
    case previews
    case production
}

extension WebRTCKit {
    /// Makes a controller for previews, or as ever.
    ///
    /// - Parameters:
    ///   - mode: With ``InitializingMode/previews``, neither `signalingServer` nor `audioDevice` is used.
    ///   - signalingServer: The connection to the signalling server.
    ///   - config: What calls may take, and how long.
    ///   - enableVerboseLogging: Whether all is logged that can be.
    ///   - audioDevice: A microphone and loudspeaker of the app's own; the machine's, if left out.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        for mode: InitializingMode, signalingServer: any SignalingServerConnection, config: Config,
        enableVerboseLogging: Bool = false, audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        switch mode {
        case .previews: makePreview(config: config, isVerbose: enableVerboseLogging)
        case .production:
            await initialize(
                signalingServer: signalingServer, config: config, audioDevice: audioDevice,
                options: Options(isVerbose: enableVerboseLogging))
        }
    }

    /// Makes a controller for previews, or as ever, over a connection of the ``WebRTCActor``.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        for mode: InitializingMode, signalingServer: any IsolatedSignalingServerConnection, config: Config,
        enableVerboseLogging: Bool = false, audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        await initialize(
            for: mode, signalingServer: ActorSignaling(signalingServer), config: config,
            enableVerboseLogging: enableVerboseLogging, audioDevice: audioDevice)
    }

    /// Makes a controller that logs all that can be logged, or as ever.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any SignalingServerConnection, config: Config, enableVerboseLogging: Bool,
        audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        await initialize(
            for: .production, signalingServer: signalingServer, config: config,
            enableVerboseLogging: enableVerboseLogging, audioDevice: audioDevice)
    }

    /// Makes a controller that logs all that can be logged, or as ever, over a connection of the ``WebRTCActor``.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any IsolatedSignalingServerConnection, config: Config, enableVerboseLogging: Bool,
        audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        await initialize(
            for: .production, signalingServer: ActorSignaling(signalingServer), config: config,
            enableVerboseLogging: enableVerboseLogging, audioDevice: audioDevice)
    }

    /// Makes a controller for previews and for an app's own tests: ``InitializingMode/previews``.
    public static func initializeForTesting() -> WebRTCController { makePreview(config: Config(), isVerbose: false) }

    private static func makePreview(config: Config, isVerbose: Bool) -> WebRTCController {
        var options = Options(isVerbose: isVerbose)
        options.sources.microphone = PacedAudioSource(Tone())
        options.sources.camera = PacedVideoSource(TestPicture(width: 640, height: 360), framesPerSecond: 30)
        options.sources.speaker = SilentSpeaker()
        return makeController(
            signalingServer: PreviewSignaling(), config: config, audioDevice: nil, options: options, devices: .none,
            networkEvents: { AsyncStream { $0.finish() } })
    }
}

extension WebRTCKit.Options {
    init(isVerbose: Bool) {
        self.init()
        if isVerbose { logger.logLevel = .trace }
    }
}

private final class SilentSpeaker: AudioSink {
    func deliver(_ frame: AudioFrame) {}
}
