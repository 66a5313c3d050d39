/// Which of several microphones to use: the one that was connected last, for who connects a microphone wants to use it, until
/// the person chooses otherwise.
///
/// It is a value: tell it what happens, and use what ``current`` says. Where the system shows a single microphone, whose name
/// follows the sound's route (iOS), that is the one.
public struct MicrophoneChoice: Sendable {
    /// All that are connected.
    public private(set) var microphones: [MediaDevice] = []
    /// What to use; `nil` while there is none.
    public private(set) var current: MediaDevice?
    /// The camera in use, if there is one: its own microphone is offered with it.
    public var camera: MediaDevice?

    /// What was connected or chosen, the latest first; also what has gone since, for it may be back with the system's service.
    private var wanted: [MediaDevice] = []
    private var hasSeenMicrophones = false
    /// As many are remembered.
    private static let limit = 8

    public init() {}

    /// These microphones are connected now. Those of the first call were there before the app was; an external one that comes
    /// later was connected by a person, unless the system's service was away and shows again what it has shown before.
    public mutating func update(_ microphones: [MediaDevice]) {
        let microphones = microphones.filter { $0.media == .microphone }
        let new = microphones.filter { one in !self.microphones.contains { $0.isSameInstance(as: one) } }
        self.microphones = microphones
        for microphone in new { note(microphone) }
        hasSeenMicrophones = true
        settle()
    }

    private mutating func note(_ microphone: MediaDevice) {
        if microphone.isReturned {
            if let index = wanted.firstIndex(where: { $0.id == microphone.id }) { wanted[index] = microphone }
        } else if hasSeenMicrophones, microphone.kind == .external {
            // What a program makes, such as one that takes out the echo, is not plugged in by anybody.
            want(microphone)
        }
    }

    private mutating func want(_ microphone: MediaDevice) {
        wanted.removeAll { $0.id == microphone.id }
        wanted.insert(microphone, at: 0)
        if wanted.count > Self.limit { wanted.removeLast() }
    }

    /// The person has chosen this microphone. One that is not connected changes nothing.
    public mutating func choose(_ id: DeviceID) {
        guard let microphone = microphones.first(where: { $0.id == id }) else { return }
        want(microphone)
        settle()
    }

    /// All microphones for a list that a person chooses from: the one in the housing of the camera in use first.
    public var list: [MediaDevice] {
        guard let first = camera.flatMap(microphone(of:)) else { return microphones }
        return [first] + microphones.filter { !$0.isSameInstance(as: first) }
    }

    /// The microphone in a camera's housing, which is offered when the camera is used; `nil` if it has none.
    public func microphone(of camera: MediaDevice) -> MediaDevice? {
        guard let group = camera.group else { return nil }
        return microphones.first { $0.group == group }
    }

    private mutating func settle() {
        let connected = wanted.lazy.compactMap { [microphones] one in microphones.first { $0.isSameInstance(as: one) } }
        current =
            connected.first ?? microphones.first { $0.kind != .virtual && $0.isReady }
            ?? microphones.first { $0.kind != .virtual } ?? microphones.first
    }
}
