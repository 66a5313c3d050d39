internal import Foundation
internal import Logging
internal import RTC
internal import RTCCrypto
internal import RTCDevices
internal import RTCFrames
internal import RTCWire

/// Drives a ``CallCore``: gives it what the app, the signalling, the connection, the network and the clock do, and carries out
/// what it wants done.
///
/// Nothing here waits while an effect is carried out. What takes time has a queue of its own: the connection
/// (``CallConnection``), the signalling (``SignalingSender``) and what apps are told (``EventDispatcher``). So there is no moment
/// in which half of a call is there.
///
/// This file is the drive itself; `CallManager+Actions` is what the app wants, `CallManager+Recording` what is recorded, and
/// `CallManager+Connection` what the connection does.
actor CallManager {
    nonisolated let options: WebRTCKit.Options
    nonisolated let dispatcher = EventDispatcher()
    nonisolated let config: Config
    nonisolated let signaling: any SignalingServerConnection
    nonisolated let log: Logger
    /// The app's, or the machine's own.
    let audioDevice: AudioDeviceAdapter?
    /// The machine's own microphone and loudspeaker, where ``audioDevice`` is that.
    nonisolated let defaultAudioDevice: (any DefaultAudioDevice)?
    /// Where the kit's own devices come from, until they are needed first.
    nonisolated let defaultDevices: DefaultDevices
    /// The machine's devices: those of the app's options, or those that were made when one was needed.
    var devices: MediaDevices?
    /// On its way to be ``devices``.
    var makingDevices: Task<Result<MediaDevices?, DeviceError>, Never>?
    /// What plays what is received, besides an audio device.
    var speaker: (any AudioSink)?
    let sender: SignalingSender
    let receiver: SignalingReceiver
    let networkEvents: @Sendable () -> AsyncStream<NetworkMonitor.Event>

    var core: CallCore
    /// When the newest call came how far.
    private var callTimes = Call.Times()
    /// The call's connection, from the invitation or the answer on.
    var connection: CallConnection?
    /// What the other peer sends at present.
    var remoteVideo: [WRKRTCVideoTrack] = []
    var remoteAudio: [WRKRTCAudioTrack] = []
    /// How many connections may be on their way out when a call is accepted without asking.
    static let maximumClosing = 4
    /// How many connections are.
    var closingCount = 0
    /// What is done when everything of the last call is closed.
    var closing: Task<Void, Never>?
    /// The same, with the last figures, from the closing of a connection until the delegate hears that its call is over.
    var lastStatistics: Task<StatisticsReport?, Never>?

    var localPeerID: PeerID?
    private(set) var server = SignalingServerState.disconnected(reason: nil)
    var connecting: Task<PeerID, any Error>?
    var watchingNetwork: Task<Void, Never>?
    private var hasNetwork = true

    var localAudio: WRKRTCAudioTrack?
    var audioSource: (any AudioSource)?
    /// How often recording of sound was started or stopped.
    var audioChange = 0
    var localVideo: WRKRTCVideoTrack?
    var videoInput: VideoInput?

    /// Tells the delegate of the devices.
    var watchingDevices: Task<Void, Never>?

    /// What was counted when the last call ended.
    private var loggedCounters = CallCore.Counters()
    private var timer: (deadline: Instant, task: Task<Void, Never>)?

    /// Makes a manager, and lets the signalling connection speak to it.
    ///
    /// - Parameters:
    ///   - devices: What is there where the app passes nothing of its own.
    ///   - networkEvents: What happens to the machine's network, from the moment on at which it is called.
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
        // The codecs' libraries take longer to load than a call to set up.
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
            receiver?.hold.end()
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

    /// The clock of the core and of its timer. It stands still while the machine sleeps: a call that was slept through has
    /// its time to find a path again.
    private var now: Instant { MediaClock.now }

    /// Lets something happen, and carries out what follows from it.
    func drive<Failure: Error>(_ change: (inout CallCore, Instant) throws(Failure) -> Void) throws(Failure) {
        defer {
            while let effect = core.nextEffect() { carryOut(effect) }
            setTimer()
        }
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
                await self?.timeHasCome()
            }
        )
    }

    private func timeHasCome() {
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
        var call = call
        callTimes.note(change, at: Date())
        call.times = callTimes
        guard change == .ended else { return dispatcher.send(.call(call, change)) }
        receiver.hold.end()
        logCounters()
        // The next call begins where calls begin, whatever this one was switched to.
        devices?.cameras.begin()
        // When anybody hears of it, everything is closed.
        let (statistics, ended) = (lastStatistics, call)
        lastStatistics = nil
        dispatcher.send {
            var events: [EventDispatcher.Event] = []
            if let report = await statistics?.value ?? nil { events.append(.finalStatistics(report)) }
            events.append(.call(ended, .ended))
            return events
        }
    }

    /// Says what was dropped in the call that has ended, and since the one before it.
    private func logCounters() {
        let dropped = core.counters.since(loggedCounters)
        loggedCounters = core.counters
        if dropped.illegalChanges > 0 {
            log.error("The call wanted changes of its state that there are not: please report this (\(dropped))")
        } else if dropped != CallCore.Counters() {
            log.info("Passed over in this call and before it: \(dropped)")
        }
        if let capturer = videoInput?.frameCounts, capturer.unusable + capturer.busy > 0 {
            log.info("Pictures left out: \(capturer.unusable) that could not be used, \(capturer.busy) at once")
        }
        if let device = audioDevice, device.playoutCounts != (0, 0) {
            let (dropped, missing) = device.playoutCounts
            log.debug("The audio device was given \(missing) samples of silence, and \(dropped) were left out")
        }
    }

    /// A connection begins to close. Who calls anew each moment, and so ends the call before, opens connections no faster than
    /// they are closed: meanwhile calls ring, also where they are taken without asking.
    func connectionWillClose() {
        closingCount += 1
        core.isCrowded = isCrowded
    }

    /// The connection of the call that is taken next makes one more.
    private var isCrowded: Bool { closingCount + 1 >= Self.maximumClosing }

    /// It is closed for good.
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

    /// Follows the machine's network from now on.
    func watchNetwork() {
        guard watchingNetwork == nil else { return }
        let events = networkEvents()
        watchingNetwork = Task { [weak self] in
            for await event in events { await self?.networkDid(event) }
        }
    }

    private func networkDid(_ event: NetworkMonitor.Event) {
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
