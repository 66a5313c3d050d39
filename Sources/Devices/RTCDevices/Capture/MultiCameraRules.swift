/// When a session of several cameras starts and stops, which of them deliver, and what is told of it: a value that hears what is wanted
/// and what happens.
///
/// A session runs while one of its sources is started; a camera whose source is not delivers nothing, and rests. An interruption ends
/// by itself, and the session with it: it is not to be started again. After a reset of the media services it stands still until it is
/// started anew, and nothing promises that the cameras kept their formats. After any other error it stands still until a source is
/// started once more.
struct MultiCameraRules: Sendable {
    enum Event: Sendable, Hashable {
        /// A source was started or stopped; which of them are started now, in the cameras' order.
        case wanted([Bool])
        case failed(SessionRules.Reaction)
        case interrupted(String)
        case interruptionEnded
        case disconnected(MediaDevice)
    }

    enum Step: Sendable, Hashable {
        /// The formats that were found when the session was set up.
        case useFormats
        /// Let this camera deliver, or rest.
        case enable(Int, Bool)
        case start
        case stop
        case tell(DeviceFeedEvent)
    }

    private let cameras: [MediaDevice]
    private var wanted: [Bool]
    private var enabled: [Bool]
    /// Whether it was started, and nothing has ended that since.
    private var isStarted = false
    private var hasFormats = true

    /// - Parameter cameras: Those of the session, with the formats that were found for them; each delivers as soon as it runs.
    init(_ cameras: [MediaDevice]) {
        self.cameras = cameras
        wanted = cameras.map { _ in false }
        enabled = cameras.map { _ in true }
    }

    mutating func handle(_ event: Event) -> [Step] {
        switch event {
        case .wanted(let wanted):
            self.wanted = wanted
            return follow()
        case .failed(.startAgain):
            (isStarted, hasFormats) = (false, false)
            return follow()
        case .failed(.fail(let error)):
            isStarted = false
            return cameras.map { .tell(.failed($0, error)) }
        case .interrupted(let reason): return cameras.map { .tell(.interrupted($0, reason)) }
        case .interruptionEnded: return cameras.map { .tell(.resumed($0)) }
        case .disconnected(let camera): return [.tell(.lost(camera))]
        }
    }

    private mutating func follow() -> [Step] {
        guard wanted.contains(true) else {
            defer { isStarted = false }
            return isStarted ? [.stop] : []
        }
        var steps: [Step] = []
        for (index, isWanted) in wanted.enumerated() where enabled[index] != isWanted {
            steps.append(.enable(index, isWanted))
        }
        enabled = wanted
        guard !isStarted else { return steps }
        if !hasFormats { steps.append(.useFormats) }
        (isStarted, hasFormats) = (true, true)
        return steps + [.start]
    }
}
