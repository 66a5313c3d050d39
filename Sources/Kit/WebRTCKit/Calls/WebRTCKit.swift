public import Logging
public import RTC

/// Where an app begins: `initialize` makes a ``WebRTCController``.
public enum WebRTCKit {
    /// Makes a controller. Any number of them may be there at once; they share nothing.
    ///
    /// ```swift
    /// let controller = WebRTCKit.initialize(signalingServer: server, config: config)
    /// ```
    ///
    /// Keep the controller: with it goes its call.
    ///
    /// - Parameters:
    ///   - signalingServer: The connection over which calls are agreed. The controller becomes its delegate.
    ///   - config: Servers, time limits and bitrates. ``WebRTCController/setupConnection()`` throws if it cannot be used.
    ///   - audioDevice: Records and plays in place of the machine's own microphone and loudspeaker.
    ///   - options: What few apps need.
    @discardableResult
    public static func initialize(
        signalingServer: any SignalingServerConnection, config: Config, audioDevice: (any RTCAudioDevice)? = nil,
        options: Options = Options()
    ) -> WebRTCController {
        makeController(signalingServer: signalingServer, config: config, audioDevice: audioDevice, options: options)
    }

    /// - Parameters:
    ///   - devices: What is there where the app passes nothing of its own.
    ///   - networkEvents: What happens to the machine's network.
    static func makeController(
        signalingServer: any SignalingServerConnection, config: Config, audioDevice: (any RTCAudioDevice)?,
        options: Options, devices: DefaultDevices = .ofMachine,
        networkEvents: @escaping @Sendable () -> AsyncStream<NetworkMonitor.Event> = { NetworkMonitor().events }
    ) -> WebRTCController {
        var adapter: AudioDeviceAdapter?
        if let audioDevice {
            // An app keeps its device, and the kit calls it on a queue of its own: RTCAudioDevice says so to whoever writes
            // one, and to give it here is to agree. So no promise is needed that nobody else has it.
            nonisolated(unsafe) let device = audioDevice
            adapter = AudioDeviceAdapter(device, logger: options.logger)
        }
        return WebRTCController(
            CallManager.start(
                signaling: signalingServer, config: config, audioDevice: adapter, options: options, devices: devices,
                networkEvents: networkEvents))
    }

    /// Makes a controller, as the other `initialize`, for functions that are `async`: there `await` has to be written, since Swift
    /// takes this one, and elsewhere it cannot be. Neither waits for anything.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any SignalingServerConnection, config: Config, audioDevice: (any RTCAudioDevice)? = nil,
        options: Options = Options()
    ) async -> WebRTCController {
        // The one that does not wait, which is chosen where nothing can be waited for.
        let makeController = { () -> WebRTCController in
            Self.initialize(
                signalingServer: signalingServer, config: config, audioDevice: audioDevice, options: options)
        }
        return makeController()
    }

    /// What few apps need to set.
    public struct Options: Sendable {
        /// What is recorded and played to in place of the machine's own devices.
        public var sources = MediaSources()

        /// The machine's devices, of which a person chooses: what ``sources`` has no source and no sink for. Without them the kit
        /// looks for devices itself, when something is to be recorded for which the app passes nothing, and remembers no choice.
        public var devices: MediaDevices?

        /// Whether ``WebRTCController/startRecording()`` starts the camera too. Otherwise calls begin with sound alone.
        public var startsWithVideo = false

        /// Whether calls are taken without asking: ``WebRTCController/setAutoAcceptCalls(_:)``.
        public var acceptsAutomatically = false

        /// How long a call may ring, here or there; 60 s unless it is set. Calls over a Duet server ring no longer than
        /// ``DuetSignaling`` lets them, either: set its `ringTime` too for more than a minute.
        public var ringTimeout = Duration.seconds(60)

        /// Which addresses of ours are shown to the other peer and used: `.all`, or with `.relay` those at TURN servers alone, so
        /// that nobody who calls learns where we are. Without a TURN server in the ``Config`` or from the signalling server no call
        /// comes about then.
        public var iceTransportPolicy = ICECandidatePolicy.all

        /// Whom the certificate of a `turns:` server has to be signed by: the system's authorities, or given ones for a server
        /// whose certificate is one's own. It says nothing of the signalling server.
        public var serverTrust = ServerTrust.system

        /// Which sockets are opened.
        public var network = PeerConnection.NetworkPolicy()

        /// The codecs and profiles of sound and picture. Its start bitrate is not used: see ``startBitrate``.
        public var media = PeerConnection.MediaConfiguration()

        /// What congestion control begins with, for sound and picture together, in bits per second; `nil` for what the
        /// ``Config`` lets both begin with. It is for those who want the limits to be wide from the first moment on, and
        /// congestion control to find its way from below.
        public var startBitrate: Int?

        /// Writes every packet of each call in the clear to this file, for Wireshark. `nil` writes none.
        public var dumpPath: String?

        /// Appends to this file what was sent, acknowledged, estimated and decided in each call, in numbers alone (docs/trace.md).
        /// It takes 16 MiB on the disk at most. `nil` writes none.
        public var tracePath: String?

        /// Swift Log's logger, under a name that does not get into the way of the system's.
        public typealias Logger = Logging.Logger

        /// Where warnings and notes go: `Options.Logger(label: "my-app")`. Keys and credentials are never logged.
        public var logger = Logger(label: "duet.webrtckit")

        public init() {}
    }
}
