internal import Logging

// The set-up functions of the original kit.

/// The purpose of a controller.
public enum InitializingMode: Sendable {
    /// SwiftUI previews: no device of the machine is used, and no permission is requested. A test picture replaces the
    /// camera, a tone the microphone, the local ID is "0000", and no peer answers.
    case previews
    case production
}

extension WebRTCKit {
    /// Creates a controller, for previews or for production.
    ///
    /// - Parameters:
    ///   - mode: With ``InitializingMode/previews``, neither `signalingServer` nor `audioDevice` is used.
    ///   - signalingServer: The connection to the signalling server.
    ///   - config: ICE servers, time limits and bitrates.
    ///   - enableVerboseLogging: Whether to log everything, debug messages included.
    ///   - audioDevice: A custom audio device; by default the machine's microphone and loudspeaker.
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

    /// Creates a controller, for previews or for production, over a connection that is isolated to the ``WebRTCActor``.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        for mode: InitializingMode, signalingServer: any IsolatedSignalingServerConnection, config: Config,
        enableVerboseLogging: Bool = false, audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        await initialize(
            for: mode, signalingServer: ActorSignaling(signalingServer), config: config,
            enableVerboseLogging: enableVerboseLogging, audioDevice: audioDevice)
    }

    /// Creates a controller, with or without verbose logging.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any SignalingServerConnection, config: Config, enableVerboseLogging: Bool,
        audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        await initialize(
            for: .production, signalingServer: signalingServer, config: config,
            enableVerboseLogging: enableVerboseLogging, audioDevice: audioDevice)
    }

    /// Creates a controller, with or without verbose logging, over a connection that is isolated to the
    /// ``WebRTCActor``.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any IsolatedSignalingServerConnection, config: Config, enableVerboseLogging: Bool,
        audioDevice: (any RTCAudioDevice)? = nil
    ) async -> WebRTCController {
        await initialize(
            for: .production, signalingServer: ActorSignaling(signalingServer), config: config,
            enableVerboseLogging: enableVerboseLogging, audioDevice: audioDevice)
    }

    /// Creates a controller for previews and for an app's own tests: see ``InitializingMode/previews``.
    public static func initializeForTesting() -> WebRTCController { makePreview(config: Config(), isVerbose: false) }

    private static func makePreview(config: Config, isVerbose: Bool) -> WebRTCController {
        var options = Options(isVerbose: isVerbose)
        options.sources.microphone = PacedAudioSource(Tone())
        options.sources.camera = PacedVideoSource(TestPattern(width: 640, height: 360), framesPerSecond: 30)
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
