public import Logging
public import RTC

/// The entry point of the kit: `initialize` creates a ``WebRTCController``.
public enum WebRTCKit {
    /// Creates a controller. Several controllers can exist at once; they share nothing.
    ///
    /// ```swift
    /// let controller = WebRTCKit.initialize(signalingServer: server, config: config)
    /// ```
    ///
    /// Keep a reference to the controller: releasing it ends its call.
    ///
    /// - Parameters:
    ///   - signalingServer: The connection over which calls are signalled. The controller becomes its delegate.
    ///   - config: ICE servers, time limits and bitrates. ``WebRTCController/setupConnection()`` throws if it is
    ///     invalid.
    ///   - audioDevice: A custom audio device, in place of the machine's microphone and loudspeaker.
    ///   - options: Settings that few apps need.
    @discardableResult
    public static func initialize(
        signalingServer: any SignalingServerConnection, config: Config, audioDevice: (any RTCAudioDevice)? = nil,
        options: Options = Options()
    ) -> WebRTCController {
        makeController(signalingServer: signalingServer, config: config, audioDevice: audioDevice, options: options)
    }

    /// - Parameters:
    ///   - devices: The defaults for what the app does not pass.
    ///   - networkEvents: Returns the changes of the machine's network.
    static func makeController(
        signalingServer: any SignalingServerConnection, config: Config, audioDevice: (any RTCAudioDevice)?,
        options: Options, devices: DefaultDevices = .ofMachine,
        networkEvents: @escaping @Sendable () -> AsyncStream<NetworkMonitor.Event> = { NetworkMonitor().events }
    ) -> WebRTCController {
        var adapter: AudioDeviceAdapter?
        if let audioDevice {
            // An app keeps its device, and the kit calls it on a queue of its own, as RTCAudioDevice documents. So the device
            // need not be transferred to the kit exclusively.
            nonisolated(unsafe) let device = audioDevice
            adapter = AudioDeviceAdapter(device, logger: options.logger)
        }
        return WebRTCController(
            CallManager.start(
                signaling: signalingServer, config: config, audioDevice: adapter, options: options, devices: devices,
                networkEvents: networkEvents))
    }

    /// Creates a controller, like the other `initialize`, for callers that are `async`: Swift chooses this overload
    /// there, so `await` has to be written. It does not suspend.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any SignalingServerConnection, config: Config, audioDevice: (any RTCAudioDevice)? = nil,
        options: Options = Options()
    ) async -> WebRTCController {
        // In a synchronous closure, Swift chooses the overload without `async`.
        let makeController = { () -> WebRTCController in
            Self.initialize(
                signalingServer: signalingServer, config: config, audioDevice: audioDevice, options: options)
        }
        return makeController()
    }

    /// Settings that few apps need.
    public struct Options: Sendable {
        /// The sources and sinks to use in place of the machine's own devices.
        public var sources = MediaSources()

        /// The machine's devices, among which the person chooses, for everything that ``sources`` leaves out. Without
        /// it, the kit chooses devices itself when recording starts, and remembers no choice.
        public var devices: MediaDevices?

        /// Whether ``WebRTCController/startRecording()`` starts the camera too. By default calls begin with audio
        /// alone.
        public var startsWithVideo = false

        /// Whether incoming calls are accepted automatically: see ``WebRTCController/setAutoAcceptCalls(_:)``.
        public var acceptsAutomatically = false

        /// How long a call may ring, incoming or outgoing; 60 s by default. The `ringTime` of ``DuetSignaling`` limits
        /// it too: set both for more than a minute.
        public var ringTimeout = Duration.seconds(60)

        /// Which local ICE candidates are used: `.all`, or with `.relay` only those of TURN servers, so that the peer
        /// does not learn this device's IP addresses. `.relay` needs a TURN server, in the ``Config`` or from the
        /// signalling server.
        public var iceTransportPolicy = ICECandidatePolicy.all

        /// The certificate authorities that may sign the certificate of a `turns:` server: those of the system, or
        /// others for a server with a private authority. The signalling server is not affected.
        public var serverTrust = ServerTrust.system

        /// The addresses, interfaces and ports that sockets use.
        public var network = PeerConnection.NetworkPolicy()

        /// The codecs and profiles of audio and video. Its start bitrate is not used: see ``startBitrate``.
        public var media = PeerConnection.MediaConfiguration()

        /// The start bitrate of congestion control, for audio and video together, in bits per second; `nil` for the sum
        /// of the start bitrates of the ``Config``. Set it to begin below wide bitrate limits.
        public var startBitrate: Int?

        /// The file to which every packet of each call is written unencrypted, for Wireshark; `nil` for none.
        public var dumpPath: String?

        /// The file to which statistics of sending (packets sent and acknowledged, bandwidth estimates, decisions) of
        /// each call are appended: see docs/trace.md. At most 16 MiB. `nil` for none.
        public var tracePath: String?

        /// Swift Log's logger, renamed to avoid confusion with the system's `Logger`.
        public typealias Logger = Logging.Logger

        /// The logger for warnings and notes, such as `Options.Logger(label: "my-app")`. Keys and credentials are never
        /// logged.
        public var logger = Logger(label: "duet.webrtckit")

        public init() {}
    }
}

extension WebRTCKit {
    /// ``Call``, for a file where that name is a type of the app. `WebRTCKit` in such a name is this enumeration, not the module.
    public typealias Call = WebRTCController.CurrentCall
}
