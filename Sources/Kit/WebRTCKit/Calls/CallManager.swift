internal import Foundation
internal import Logging
internal import RTC
internal import RTCCredentials
internal import RTCCrypto
internal import RTCDevices
internal import RTCFrames
internal import RTCWire

/// Drives a ``CallCore``: passes it the events of the app, the signalling, the connection, the network and the clock, and carries
/// out its effects.
///
/// Nothing waits while an effect is carried out. Slow operations have their own queues: those of the connection
/// (``CallConnection``), of the signalling (``SignalingSender``) and of events for the app (``EventDispatcher``). So a call is
/// never half set up or half closed.
///
/// This file has the loop; `CallManager+Actions` the requests of the app, `CallManager+Recording` recording, and
/// `CallManager+Connection` the connection's events.
actor CallManager {
    nonisolated let options: WebRTCKit.Options
    nonisolated let dispatcher = EventDispatcher()
    nonisolated let config: Config
    nonisolated let signaling: any SignalingServerConnection
    nonisolated let log: Logger
    /// The app's audio device, or the machine's own.
    let audioDevice: AudioDeviceAdapter?
    /// The machine's own microphone and loudspeaker, if they are ``audioDevice``.
    nonisolated let defaultAudioDevice: (any DefaultAudioDevice)?
    /// Creates the kit's own devices when they are first needed.
    nonisolated let defaultDevices: DefaultDevices
    /// The machine's devices: those of the app's options, or those created when first needed.
    var devices: MediaDevices?
    /// The task that creates ``devices``.
    var makingDevices: Task<Result<MediaDevices?, DeviceError>, Never>?
    /// Plays received audio, in addition to an audio device.
    var speaker: (any AudioSink)?
    let sender: SignalingSender
    let receiver: SignalingReceiver
    let networkEvents: @Sendable () -> AsyncStream<NetworkMonitor.Event>

    var core: CallCore
    /// The call's connection, from the invitation or the answer on.
    var connection: CallConnection?
    /// The remote video tracks at present.
    var remoteVideo: [WRKRTCVideoTrack] = []
    var remoteAudio: [WRKRTCAudioTrack] = []
    /// The maximum number of connections being closed while a call is accepted automatically.
    static let maximumClosing = 4
    /// The number of connections being closed.
    var closingCount = 0
    /// Ends when all resources of the last call are closed.
    var closing: Task<Void, Never>?
    /// The same, with the last statistics, from the closing of a connection until the end of its call is reported.
    var lastStatistics: Task<StatisticsReport?, Never>?

    var localPeerID: PeerID?
    private(set) var server = SignalingServerState.disconnected(reason: nil)
    /// The attempt to connect, which concurrent requests share.
    let connecting = SingleFlight<PeerID>()
    /// Held while requests to disconnect are under way.
    let disconnecting = Hold()
    /// The number of requests to disconnect.
    var disconnections = 0
    var watchingNetwork: Task<Void, Never>?
    private var hasNetwork = true

    let audioRecording = LocalRecording<WRKRTCAudioTrack, any AudioSource>()
    let videoRecording = LocalRecording<WRKRTCVideoTrack, VideoInput>()
    var localAudio: WRKRTCAudioTrack? { audioRecording.track }
    var localVideo: WRKRTCVideoTrack? { videoRecording.track }

    /// Reports events of the devices to the delegate.
    var watchingDevices: Task<Void, Never>?

    /// The counters at the end of the last call.
    private var loggedCounters = CallCore.Counters()
    private var timer: (deadline: Instant, task: Task<Void, Never>)?

    /// Creates a manager, and sets it as the delegate of the signalling connection.
    ///
    /// - Parameters:
    ///   - devices: The defaults for what the app does not pass.
    ///   - networkEvents: Returns the changes of the machine's network from then on.
    static func start(
        signaling: any SignalingServerConnection, config: Config, audioDevice: AudioDeviceAdapter?,
        options: WebRTCKit.Options, devices: DefaultDevices = .ofMachine,
        networkEvents: @escaping @Sendable () -> AsyncStream<NetworkMonitor.Event>
    ) -> CallManager {
        let (deliveries, continuation) = AsyncStream.makeStream(of: SignalingReceiver.Delivery.self)
        let manager = CallManager(
            signaling: signaling, config: config, audioDevice: audioDevice, options: options, devices: devices,
            receiver: SignalingReceiver(continuation), networkEvents: networkEvents)
        Task { [weak manager] in
            for await delivery in deliveries {
                await manager?.take(delivery.input)
                delivery.sender?.resume()
            }
        }
        signaling.setDelegate(manager.receiver)
        // Loading the codec libraries takes longer than setting up a call.
        Task.detached(priority: .utility) { _ = PeerConnection.supportedCodecs(.audio) }
        return manager
    }

    private init(
        signaling: any SignalingServerConnection, config: Config, audioDevice: AudioDeviceAdapter?,
        options: WebRTCKit.Options, devices: DefaultDevices, receiver: SignalingReceiver,
        networkEvents: @escaping @Sendable () -> AsyncStream<NetworkMonitor.Event>
    ) {
        self.signaling = signaling
        self.config = config
        defaultDevices = devices
        var options = options
        if let devices = options.devices { options.sources = options.sources.filled(by: devices) }
        self.options = options
        self.devices = options.devices
        speaker = options.sources.speaker
        self.receiver = receiver
        self.networkEvents = networkEvents
        let device = audioDevice == nil ? devices.audioDevice(besides: options.sources) : nil
        defaultAudioDevice = device
        self.audioDevice = audioDevice ?? device.map { AudioDeviceAdapter($0, logger: options.logger) }
        log = options.logger
        sender = SignalingSender(signaling) { [weak receiver] in
            receiver?.hold.invitationIsOver()
        } onFailure: { [weak receiver] outgoing, peer, message in
            receiver?.note(.core(.sendingFailed(outgoing, to: peer, message: message)))
        }
        var settings = CallCore.Settings()
        settings.connectionTimeout = config.connectionTimeLimit
        settings.ringTimeout = options.ringTimeout
        settings.acceptsAutomatically = options.acceptsAutomatically
        core = CallCore(settings: settings, random: SystemRandom())
        watchingDevices = options.devices?.follow(dispatcher)
    }

    deinit {
        receiver.finish()
        timer?.task.cancel()
        watchingNetwork?.cancel()
        watchingDevices?.cancel()
        devices?.speaker?.stop()
        _ = connection?.close()
    }

    // MARK: The core

    /// The clock of the core and of its timer. It stops while the machine sleeps: after it wakes up, a call has its whole time
    /// limit to find a path.
    private var now: Instant { MediaClock.now }

    /// Passes an input to the core, and carries out its effects.
    func drive<Failure: Error>(_ change: (inout CallCore, Instant) throws(Failure) -> Void) throws(Failure) {
        defer {
            while let effect = core.nextEffect() { carryOut(effect) }
            setTimer()
        }
        core.date = Date()
        try change(&core, now)
        connection?.setOnline(hasNetwork && core.isSignalingOpen)
    }

    private func setTimer() {
        let deadline = core.nextDeadline
        guard deadline != timer?.deadline else { return }
        timer?.task.cancel()
        timer = nil
        guard let deadline else { return }
        let wait = Duration.nanoseconds(max(0, (deadline - now).nanoseconds))
        timer = (
            deadline,
            Task { [weak self] in
                guard (try? await Task.sleep(for: wait, clock: .suspending)) != nil else { return }
                await self?.timerFired()
            }
        )
    }

    private func timerFired() {
        timer = nil
        drive { core, now in core.advance(to: now) }
    }

    // MARK: Effects

    private func carryOut(_ effect: CallCore.Effect) {
        switch effect {
        case .open(let number, let isPolite, let waitsForOffer):
            open(number, isPolite: isPolite, waitsForOffer: waitsForOffer)
        case .setPolite(let number, let isPolite): connection(number)?.setPolite(isPolite)
        case .receive(let number, let signal): connection(number)?.receive(signal)
        case .restartICE(let number): connection(number)?.restartICE(servers: iceServers)
        case .close(let number): close(number)
        case .send(let outgoing, let peer): sender.send(outgoing, to: peer)
        case .report(let change, let call): tell(change, call)
        case .reportBusy(let peer): dispatcher.send(.busy(peer))
        }
    }

    private func tell(_ change: Call.Change, _ call: Call) {
        guard change == .ended else { return dispatcher.send(.call(call, change)) }
        receiver.hold.invitationIsOver()
        logCounters()
        // The next call begins with the policy's camera, whatever this call was switched to.
        devices?.cameras.begin()
        // Everything is closed when the end is reported.
        let statistics = lastStatistics
        lastStatistics = nil
        dispatcher.send {
            var events: [EventDispatcher.Event] = []
            if let report = await statistics?.value ?? nil { events.append(.finalStatistics(report)) }
            events.append(.call(call, .ended))
            return events
        }
    }

    /// Logs what was dropped in the call that has ended, and since the previous one.
    private func logCounters() {
        let dropped = core.counters.since(loggedCounters)
        loggedCounters = core.counters
        if dropped.illegalChanges > 0 {
            log.error("The call wanted changes of its state that there are not: please report this (\(dropped))")
        } else if dropped != CallCore.Counters() {
            log.info("Passed over in this call and before it: \(dropped)")
        }
        if let capturer = videoRecording.input?.frameCounts, capturer.unusable + capturer.busy > 0 {
            log.info("Pictures left out: \(capturer.unusable) that could not be used, \(capturer.busy) at once")
        }
        if let device = audioDevice, device.playoutCounts != (0, 0) {
            let (dropped, missing) = device.playoutCounts
            log.debug("The audio device was given \(missing) samples of silence, and \(dropped) were left out")
        }
    }

    /// Counts a connection that begins to close. A peer that calls again and again, and so ends each previous call, cannot open
    /// connections faster than they are closed: while too many close, calls ring, even if they are accepted automatically.
    func connectionWillClose() {
        closingCount += 1
        core.isCrowded = isCrowded
    }

    /// Includes the connection of the next call.
    private var isCrowded: Bool { closingCount + 1 >= Self.maximumClosing }

    /// Counts a connection that is closed.
    func connectionDidClose() {
        closingCount -= 1
        guard !isCrowded, core.isCrowded else { return }
        drive { core, now in core.makeRoom(at: now) }
    }

    // MARK: Signalling and network

    private func take(_ input: SignalingReceiver.Input) {
        switch input {
        case .core(let event):
            switch event {
            case .opened: setServer(.connected)
            case .closed where server == .connected || server == .stopping: setServer(.disconnected(reason: nil))
            default: break
            }
            drive { core, now in core.receive(event, at: now) }
        case .server(let server): setServer(server)
        case .caughtUp: dispatcher.send(.caughtUp)
        case .shouldConnect(let peer):
            let media = media
            drive { core, now in core.receive(.shouldConnect(to: peer, media: media), at: now) }
        }
    }

    func setServer(_ new: SignalingServerState) {
        guard new != server else { return }
        server = new
        dispatcher.send(.server(new))
    }

    /// Begins to observe the machine's network.
    func watchNetwork() {
        guard watchingNetwork == nil else { return }
        let events = networkEvents()
        watchingNetwork = Task { [weak self] in
            for await event in events { await self?.handleNetworkEvent(event) }
        }
    }

    private func handleNetworkEvent(_ event: NetworkMonitor.Event) {
        switch event {
        case .lost:
            hasNetwork = false
            signaling.onConnectionUnsatisfied()
        case .restored:
            hasNetwork = true
            signaling.onConnectionSatisfied()
        case .changed: break
        }
        drive { core, now in core.receive(CallCore.NetworkEvent(event), at: now) }
    }
}

extension CallCore.NetworkEvent {
    fileprivate init(_ event: NetworkMonitor.Event) {
        switch event {
        case .changed: self = .changed
        case .lost: self = .lost
        case .restored: self = .restored
        }
    }
}
