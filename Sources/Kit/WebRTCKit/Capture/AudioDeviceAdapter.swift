internal import Dispatch
internal import Logging
internal import RTC
internal import RTCDevices
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// Uses an app's ``RTCAudioDevice`` as the engine's microphone and loudspeaker.
///
/// As an `AudioSource` it records while it is started. It plays while there are tracks to play. The device is called on one
/// queue, and ends in the state that was requested last, however fast requests follow each other.
final class AudioDeviceAdapter: AudioSource, Sendable {
    private struct State {
        var recordingWanted = false
        var players: [ObjectIdentifier: Player] = [:]
        var isTerminated = false
        /// The number of the current recording, by which a watch detects that its recording is over.
        var recordingNumber = 0
        /// The reason why the device does not work as requested.
        var failure: String?
    }

    /// The kit calls the device only through this, and only on the queue, as ``RTCAudioDevice`` documents. The device was
    /// transferred here, or its app has accepted that.
    private struct Confined: @unchecked Sendable {
        let device: any RTCAudioDevice
    }

    private let confined: Confined
    private let queue: DispatchQueue
    private let link: AudioDeviceLink
    private let state = Mutex(State())
    private let log: Logger
    /// The time without a delivery after which a recording device is logged.
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

    /// The audio source: this object itself.
    var source: any AudioSource { self }

    /// Plays a track in addition to others, and keeps it until it is stopped.
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

    /// Stops playing all tracks.
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

    /// Stops everything permanently.
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

    /// Prepares the device to record, so that a failure is detected before a call.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)``
    func prepareRecording() async throws(CallManagerError) {
        let failure: String? = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: state.withLock(\.isTerminated) ? "it has ended" : readyToRecord())
            }
        }
        if let failure { throw .deviceUnavailable(DeviceError(.failed, "the audio device cannot record: \(failure)")) }
    }

    /// Waits until all requests so far are handled.
    func settle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// The reason why the device does not work as requested; `nil` if it does.
    var failure: String? { state.withLock { $0.failure } }
    var recordingCounts: RecordingBuffer.Counts { link.recordingCounts }
    /// The samples per channel that were dropped or missing.
    var playoutCounts: (dropped: Int, missing: Int) { link.playoutCounts }

    private func want(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        queue.async { [self] in reconcile() }
    }

    // MARK: On the queue

    /// Brings the device into the requested state.
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

    /// - Returns: The reason why recording is not possible; `nil` if it started.
    private func startRecording(_ device: any RTCAudioDevice) -> String? {
        guard !device.isRecording else { return takeInputFormat(device) }
        if let failure = readyToRecord() { return failure }
        guard device.startRecording() else { return "it does not start to record" }
        // Some devices know their sample rate only while they run.
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

    /// Logs a recording device that delivers nothing.
    private func watch(recording number: Int, taken: Int, isSilent: Bool) {
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self, state.withLock({ $0.recordingWanted && $0.recordingNumber == number }) else { return }
            let now = link.recordingCounts.taken
            if now == taken, !isSilent { log.warning("The audio device records, and delivers nothing") }
            watch(recording: number, taken: now, isSilent: now == taken)
        }
    }

    /// Passes a track's audio to the device.
    private final class Player: AudioSink {
        let track: AudioTrack
        private let link: AudioDeviceLink

        init(_ track: AudioTrack, on link: AudioDeviceLink) {
            self.track = track
            self.link = link
        }

        var id: ObjectIdentifier { ObjectIdentifier(track) }

        func deliver(_ frame: AudioFrame) { link.play(frame, of: id) }

        var playoutDelay: Duration? { link.playoutDelay(of: id).map { .nanoseconds($0.nanoseconds) } }
    }

    private static func end(_ device: any RTCAudioDevice, _ link: AudioDeviceLink) {
        if device.isRecording { _ = device.stopRecording() }
        if device.isPlaying { _ = device.stopPlayout() }
        link.setOutputFormat(nil)
        link.setInputFormat(nil)
        if device.isInitialized { _ = device.terminateDevice() }
    }
}
