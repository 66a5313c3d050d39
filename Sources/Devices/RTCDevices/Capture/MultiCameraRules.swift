/// Decides when a session of several cameras starts and stops, which cameras deliver, and which events are reported: a
/// value that handles events and returns steps.
///
/// A session runs while at least one of its sources is started; a camera whose source is stopped delivers nothing. An
/// interruption ends without a restart: the session resumes by itself. After a reset of the media services the session
/// has to be started again, and the cameras may have lost their formats. After any other error it stays stopped until a
/// source is started again.
struct MultiCameraRules: Sendable {
    enum Event: Sendable, Hashable {
        /// A source was started or stopped; the array says which sources are started now, in the order of the cameras.
        case wanted([Bool])
        case failed(SessionRules.Reaction)
        case interrupted(String)
        case interruptionEnded
        case disconnected(MediaDevice)
    }

    enum Step: Sendable, Hashable {
        /// Set the formats that were found when the session was set up.
        case useFormats
        /// Enable or disable this camera.
        case enable(Int, Bool)
        case start
        case stop
        case tell(DeviceFeedEvent)
    }

    private let cameras: [MediaDevice]
    private var wanted: [Bool]
    private var enabled: [Bool]
    /// Whether the session was started, and has not ended since.
    private var isStarted = false
    private var hasFormats = true

    /// - Parameter cameras: The session's cameras, with the formats that were found for them; each delivers once the
    ///   session runs.
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
