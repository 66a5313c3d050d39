internal import Dispatch
internal import Logging
internal import RTC
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// An app's ``RTCAudioDevice`` as the engine's microphone and loudspeaker.
///
/// As an `AudioSource` it records while it is started. It plays while there are tracks to play. The device is called
/// on one queue alone. Whatever was asked for last is what it ends up doing, however fast one thing is asked for after
/// another.
final class AudioDeviceAdapter: AudioSource, Sendable {
    private struct State {
        var recordingWanted = false
        var players: [ObjectIdentifier: Player] = [:]
        var isTerminated = false
        /// Which recording this is: a watch over an earlier one is over.
        var recordingNumber = 0
        /// Why the device does not do what it should.
        var failure: String?
    }

    /// The kit reaches the device through this alone, and only on the queue, as ``RTCAudioDevice`` says to whoever writes
    /// one. It was sent here, or its app has agreed to that.
    private struct Confined: @unchecked Sendable {
        let device: any RTCAudioDevice
    }

    private let confined: Confined
    private let queue: DispatchQueue
    private let link: AudioDeviceLink
    private let state = Mutex(State())
    private let log: Logger
    /// A device that records and delivers nothing for so long is worth a line in the log.
    private static let patience = DispatchTimeInterval.seconds(5)

    init(_ device: sending any RTCAudioDevice, logger: Logger) {
        confined = Confined(device: device)
        queue = DispatchQueue(label: "duet.webrtckit.audio-device", qos: .userInteractive)
        link = AudioDeviceLink(queue: queue)
        log = logger
        link.setOnChange { [weak self] in self?.reconcile() }
    }

    deinit {
        let (confined, link) = (confined, link)
        let (players, isTerminated) = state.withLock { ($0.players.values.map { $0 }, $0.isTerminated) }
        guard !isTerminated else { return }
        for player in players { player.track.remove(player) }
        link.setSink(nil)
        queue.async { Self.end(confined.device, link) }
    }

    // MARK: Requests of the kit

    func start(delivering sink: any AudioSink) {
        link.setSink(sink)
        want { $0.recordingWanted = true }
    }

    func stop() {
        link.setSink(nil)
        want { $0.recordingWanted = false }
    }

    /// What records: itself.
    var source: any AudioSource { self }

    /// Plays a track from now on, besides others. It keeps the track until it is told to stop.
    func play(_ track: AudioTrack) {
        let player = Player(track, on: link)
        let isNew = state.withLock { state in
            guard !state.isTerminated, state.players[player.id] == nil else { return false }
            state.players[player.id] = player
            return true
        }
        guard isNew else { return }
        link.addPlayer(player.id)
        track.add(player)
        queue.async { [self] in reconcile() }
    }

    func stopPlaying(_ track: AudioTrack) {
        guard let player = state.withLock({ $0.players.removeValue(forKey: ObjectIdentifier(track)) }) else { return }
        stop([player])
    }

    /// Plays no track any more.
    func stopPlaying() {
        let players = state.withLock { state in
            defer { state.players = [:] }
            return Array(state.players.values)
        }
        stop(players)
    }

    private func stop(_ players: [Player]) {
        for player in players {
            player.track.remove(player)
            link.removePlayer(player.id)
        }
        queue.async { [self] in reconcile() }
    }

    /// Stops everything for good.
    func terminate() {
        stopPlaying()
        link.setSink(nil)
        let isFirst = state.withLock { state in
            defer { state.isTerminated = true }
            return !state.isTerminated
        }
        guard isFirst else { return }
        queue.async { [confined, link] in Self.end(confined.device, link) }
    }

    /// Makes the device ready to record, so that one that cannot is found out before a call.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``
    func prepareRecording() async throws(CallManagerError) {
        let failure: String? = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: state.withLock(\.isTerminated) ? "it has ended" : readyToRecord())
            }
        }
        if let failure { throw .deviceUnavailable("the audio device cannot record: \(failure)") }
    }

    /// Waits until everything that was asked for so far is done.
    func settle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Why the device does not do what it should; `nil` if it does.
    var failure: String? { state.withLock { $0.failure } }
    var recordingCounts: RecordingBuffer.Counts { link.recordingCounts }
    /// In samples of each channel.
    var playoutCounts: (dropped: Int, missing: Int) { link.playoutCounts }

    private func want(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        queue.async { [self] in reconcile() }
    }

    // MARK: On the queue

    /// Makes the device do what is wanted.
    private func reconcile() {
        let wanted = state.withLock { $0 }
        guard !wanted.isTerminated else { return }
        let device = confined.device
        var failure: String?
        if wanted.recordingWanted {
            failure = startRecording(device)
        } else if device.isRecording {
            failure = device.stopRecording() ? nil : "it does not stop to record"
        }
        if !wanted.players.isEmpty {
            failure = startPlayout(device) ?? failure
        } else if device.isPlaying {
            link.setOutputFormat(nil)
            failure = device.stopPlayout() ? failure : "it does not stop to play"
        }
        let isNews = state.withLock { state in
            defer { state.failure = failure }
            return state.failure != failure
        }
        if let failure, isNews { log.warning("The audio device does not work: \(failure)") }
    }

    /// - Returns: Why it is not possible.
    private func startRecording(_ device: any RTCAudioDevice) -> String? {
        guard !device.isRecording else { return takeInputFormat(device) }
        if let failure = readyToRecord() { return failure }
        guard device.startRecording() else { return "it does not start to record" }
        // The rate of some devices is known only when they run.
        let failure = takeInputFormat(device)
        let number = state.withLock { state in
            state.recordingNumber += 1
            return state.recordingNumber
        }
        watch(recording: number, taken: link.recordingCounts.taken, isSilent: false)
        return failure
    }

    private func readyToRecord() -> String? {
        let device = confined.device
        guard device.isInitialized || device.initialize(with: link) else { return "it cannot be initialized" }
        guard device.isRecordingInitialized || device.initializeRecording() else {
            return "its recording cannot be initialized"
        }
        _ = takeInputFormat(device)
        return nil
    }

    private func startPlayout(_ device: any RTCAudioDevice) -> String? {
        guard !device.isPlaying else { return takeOutputFormat(device) }
        guard device.isInitialized || device.initialize(with: link) else { return "it cannot be initialized" }
        guard device.isPlayoutInitialized || device.initializePlayout() else {
            return "its playout cannot be initialized"
        }
        _ = takeOutputFormat(device)
        guard device.startPlayout() else {
            link.setOutputFormat(nil)
            return "it does not start to play"
        }
        return takeOutputFormat(device)
    }

    private func takeInputFormat(_ device: any RTCAudioDevice) -> String? {
        let (rate, channels) = (device.deviceInputSampleRate, device.inputNumberOfChannels)
        let format = AudioDeviceFormat(sampleRate: rate, channels: channels, latency: device.inputLatency)
        link.setInputFormat(format)
        return format == nil ? "it records \(channels) channels at \(rate) Hz, which cannot be used" : nil
    }

    private func takeOutputFormat(_ device: any RTCAudioDevice) -> String? {
        let (rate, channels) = (device.deviceOutputSampleRate, device.outputNumberOfChannels)
        let format = AudioDeviceFormat(sampleRate: rate, channels: channels, latency: device.outputLatency)
        link.setOutputFormat(format)
        return format == nil ? "it plays \(channels) channels at \(rate) Hz, which cannot be used" : nil
    }

    /// Writes to the log when a device that records delivers nothing.
    private func watch(recording number: Int, taken: Int, isSilent: Bool) {
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self, state.withLock({ $0.recordingWanted && $0.recordingNumber == number }) else { return }
            let now = link.recordingCounts.taken
            if now == taken, !isSilent { log.warning("The audio device records, and delivers nothing") }
            watch(recording: number, taken: now, isSilent: now == taken)
        }
    }

    /// What a track's sound goes to.
    private final class Player: AudioSink {
        let track: AudioTrack
        private let link: AudioDeviceLink

        init(_ track: AudioTrack, on link: AudioDeviceLink) {
            self.track = track
            self.link = link
        }

        var id: ObjectIdentifier { ObjectIdentifier(track) }

        func deliver(_ frame: AudioFrame) { link.play(frame, of: id) }
    }

    private static func end(_ device: any RTCAudioDevice, _ link: AudioDeviceLink) {
        if device.isRecording { _ = device.stopRecording() }
        if device.isPlaying { _ = device.stopPlayout() }
        link.setOutputFormat(nil)
        link.setInputFormat(nil)
        if device.isInitialized { _ = device.terminateDevice() }
    }
}
