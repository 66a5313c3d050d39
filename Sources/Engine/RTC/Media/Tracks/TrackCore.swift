internal import RTCWire
internal import Synchronization

/// The common part of audio and video tracks: the receivers of frames, and whether the source must run for them.
final class TrackCore<Frame: Sendable>: Sendable {
    /// A receiver of frames.
    struct Output: Sendable {
        let id: ObjectIdentifier
        /// Whether it is a sender, which gets blank frames of a disabled track; other receivers get none.
        let isSender: Bool
        let deliver: @Sendable (Frame) -> Void
        /// Returns how long after its timestamp a frame is heard; `nil` if the receiver does not play.
        var playoutDelay: (@Sendable () -> Duration?)?
    }

    /// The source of frames, if the track has one.
    struct Source: Sendable {
        let start: @Sendable (TrackCore) -> Void
        let stop: @Sendable () -> Void
    }

    /// The treatment of frames while the track is disabled.
    struct Blanking: Sendable {
        /// Returns the frame without its content.
        let blank: @Sendable (Frame) -> Frame
        /// The least time between blank frames.
        let interval: TimeDelta
        /// Whether the last frame is kept: to be sent blanked when the track is disabled, and for receivers added
        /// later.
        let keepsLast: Bool
    }

    private struct State {
        var isEnabled = true
        var isMuted: Bool
        var isEnded = false
        var outputs: [Output] = []
        var streams: [Int: AsyncStream<Frame>.Continuation] = [:]
        var nextStream = 0
        var last: Frame?
        var lastBlank: Instant?
        var isSourceRunning = false
        /// Whether a thread is calling the source; it checks again before it is done.
        var isSourceBusy = false
        /// The receivers that play, and the time that the frames of all others are later.
        var players: Set<ObjectIdentifier> = []
        var delay = TimeDelta.zero
    }

    private let state: Mutex<State>
    private let source: Source?
    private let blanking: Blanking
    private let delaying: @Sendable (Frame, TimeDelta) -> Frame
    /// A change of the playout delay that is worth a jump of timestamps.
    private static var leastDelayChange: TimeDelta { .milliseconds(20) }
    /// Bounded, because the remote peer can mute and unmute any number of times.
    private let eventBroadcast = Broadcast<MediaTrackEvent>(.bufferingNewest(16))
    private let enabledObservers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// - Parameter delaying: Returns the frame with a timestamp that is later by a time.
    init(
        isMuted: Bool, source: Source?, blanking: Blanking,
        delaying: @escaping @Sendable (Frame, TimeDelta) -> Frame = { frame, _ in frame }
    ) {
        state = Mutex(State(isMuted: isMuted))
        self.source = source
        self.blanking = blanking
        self.delaying = delaying
    }

    deinit {
        state.withLock { state in
            for stream in state.streams.values { stream.finish() }
            if state.isSourceRunning { source?.stop() }
        }
        eventBroadcast.finish()
    }

    var isEnabled: Bool { state.withLock { $0.isEnabled } }
    var isMuted: Bool { state.withLock { $0.isMuted } }
    var isEnded: Bool { state.withLock { $0.isEnded } }
    var events: AsyncStream<MediaTrackEvent> { eventBroadcast.subscribe() }
    /// Whether any receiver would get a frame.
    var isWatched: Bool { state.withLock { !$0.isEnded && !($0.outputs.isEmpty && $0.streams.isEmpty) } }

    func setEnabled(_ isEnabled: Bool) {
        let now = MediaClock.now
        var hasChanged = false
        let (blank, senders): (Frame?, [Output]) = state.withLock { state in
            guard state.isEnabled != isEnabled, !state.isEnded else { return (nil, []) }
            state.isEnabled = isEnabled
            hasChanged = true
            state.lastBlank = nil
            // An earlier frame must not be sent again from now on.
            guard !isEnabled, let last = state.last else { return (nil, []) }
            state.last = nil
            state.lastBlank = now
            return (blanking.blank(last), state.outputs.filter(\.isSender))
        }
        if let blank { for sender in senders { sender.deliver(blank) } }
        guard hasChanged else { return }
        for observer in enabledObservers.withLock({ Array($0.values) }) { observer() }
    }

    func observeEnabled(by id: ObjectIdentifier, _ observer: (@Sendable () -> Void)?) {
        enabledObservers.withLock { $0[id] = observer }
    }

    func setMuted(_ isMuted: Bool) {
        let hasChanged = state.withLock { state in
            guard state.isMuted != isMuted, !state.isEnded else { return false }
            state.isMuted = isMuted
            // Earlier content is not shown after a mute.
            if isMuted { state.last = nil }
            return true
        }
        if hasChanged { eventBroadcast.send(isMuted ? .mute : .unmute) }
    }

    // MARK: Frames

    func deliver(_ frame: Frame) {
        let now = MediaClock.now
        var (players, delay) = (Set<ObjectIdentifier>(), TimeDelta.zero)
        let (frame, outputs, streams): (Frame, [Output], [AsyncStream<Frame>.Continuation]) = state.withLock { state in
            (players, delay) = (state.players, state.delay)
            guard !state.isEnded else { return (frame, [], []) }
            guard state.isEnabled else {
                if let last = state.lastBlank, now - last < blanking.interval { return (frame, [], []) }
                state.lastBlank = now
                let senders = state.outputs.filter(\.isSender)
                return (senders.isEmpty ? frame : blanking.blank(frame), senders, [])
            }
            if blanking.keepsLast { state.last = frame }
            return (frame, state.outputs, state.streams.isEmpty ? [] : Array(state.streams.values))
        }
        let heard = delay == .zero ? frame : delaying(frame, delay)
        for output in outputs { output.deliver(players.contains(output.id) ? frame : heard) }
        for stream in streams { stream.yield(heard) }
        replaceByBlank(frame, sentTo: outputs, at: now)
    }

    /// Sends a blank frame if the track was disabled during the delivery, so that the frame is not the last.
    private func replaceByBlank(_ frame: Frame, sentTo outputs: [Output], at now: Instant) {
        guard blanking.keepsLast, !outputs.isEmpty else { return }
        let isLate = state.withLock { state in
            // A blank frame sent by this call has set `lastBlank` to the same time.
            !state.isEnabled && !state.isEnded && (state.lastBlank.map { $0 > now } ?? true)
        }
        guard isLate else { return }
        let blank = blanking.blank(frame)
        for output in outputs where output.isSender { output.deliver(blank) }
    }

    /// Adds a receiver, unless it is already there. A new one gets the kept frame, if any.
    func add(_ output: Output) {
        let plays = output.playoutDelay?() != nil
        let last: Frame? = state.withLock { state in
            guard !state.isEnded, !state.outputs.contains(where: { $0.id == output.id }) else { return nil }
            state.outputs.append(output)
            if plays { state.players.insert(output.id) }
            return state.isEnabled ? state.last : nil
        }
        if let last { output.deliver(last) }
        updateSource()
    }

    func remove(_ id: ObjectIdentifier) {
        let removed = state.withLock { state in
            let removed = state.outputs.filter { $0.id == id }
            state.outputs.removeAll { $0.id == id }
            return removed
        }
        // Released outside of the lock, because it may be the last reference.
        withExtendedLifetime(removed) {}
        updateSource()
    }

    /// Subscribes to the frames from now on, of which only the newest `limit` wait.
    func subscribe(limit: Int) -> AsyncStream<Frame> {
        let (stream, continuation) = AsyncStream.makeStream(of: Frame.self, bufferingPolicy: .bufferingNewest(limit))
        let key: Int? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            if state.isEnabled, let last = state.last { continuation.yield(last) }
            return state.nextStream
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            let removed = state.withLock { $0.streams.removeValue(forKey: key) }
            withExtendedLifetime(removed) {}
            updateSource()
        }
        updateSource()
        return stream
    }

    // MARK: Playout delay

    /// The longest time from a frame's timestamp until a receiver plays it; `nil` if none plays.
    var playoutDelay: TimeDelta? { playoutDelays().map { $0.delay }.max() }

    /// Looks how long receivers take to play, and delivers to all others with timestamps of when frames are heard, so
    /// that a recording has audio and video together.
    ///
    /// - Returns: The longest time; `nil` if none plays.
    func updatePlayoutDelay() -> TimeDelta? {
        let delays = playoutDelays()
        let longest = delays.map { $0.delay }.max()
        state.withLock { state in
            state.players = Set(delays.map { $0.id })
            let change = (longest ?? .zero) - state.delay
            if max(change, .zero - change) >= Self.leastDelayChange { state.delay = longest ?? .zero }
        }
        return longest
    }

    private func playoutDelays() -> [(id: ObjectIdentifier, delay: TimeDelta)] {
        // Asked without the lock: a receiver may have one of its own.
        let outputs = state.withLock { $0.outputs.filter { $0.playoutDelay != nil } }
        return outputs.compactMap { output in
            output.playoutDelay?().map { (output.id, min(max(TimeDelta($0), .zero), .seconds(1))) }
        }
    }

    // MARK: Closing

    /// - Parameter sendsEvent: Whether to send an event: not if the application ended the track.
    func end(sendsEvent: Bool) {
        let (outputs, streams, hasEnded) = state.withLock { state in
            guard !state.isEnded else { return ([Output](), [AsyncStream<Frame>.Continuation](), false) }
            state.isEnded = true
            state.last = nil
            defer {
                state.outputs = []
                state.streams = [:]
            }
            return (state.outputs, Array(state.streams.values), true)
        }
        guard hasEnded else { return }
        withExtendedLifetime(outputs) {}
        for stream in streams { stream.finish() }
        updateSource()
        if sendsEvent { eventBroadcast.send(.ended) }
        eventBroadcast.finish()
    }

    /// Starts the source when a receiver needs it, and stops it when none does.
    ///
    /// Calls the source without the lock, and from one thread at a time: it may deliver a frame at once, and a receiver
    /// may remove itself then.
    private func updateSource() {
        guard let source else { return }
        while true {
            let isNeeded: Bool? = state.withLock { state in
                let isNeeded = !state.isEnded && !(state.outputs.isEmpty && state.streams.isEmpty)
                guard !state.isSourceBusy, isNeeded != state.isSourceRunning else { return nil }
                state.isSourceBusy = true
                state.isSourceRunning = isNeeded
                return isNeeded
            }
            guard let isNeeded else { return }
            if isNeeded { source.start(self) } else { source.stop() }
            state.withLock { $0.isSourceBusy = false }
        }
    }
}
