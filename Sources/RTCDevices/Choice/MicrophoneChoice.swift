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

    /// What was connected or chosen, the latest first.
    private var wanted: [MediaDevice] = []
    private var hasSeenMicrophones = false

    public init() {}

    /// These microphones are connected now. Those of the first call were there before the app was; an external one that comes
    /// later was connected by a person.
    public mutating func update(_ microphones: [MediaDevice]) {
        let microphones = microphones.filter { $0.media == .microphone }
        let new = microphones.filter { one in !self.microphones.contains { $0.isSameInstance(as: one) } }
        self.microphones = microphones
        wanted = wanted.compactMap { one in microphones.first { $0.isSameInstance(as: one) } }
        // What a program makes, such as one that takes out the echo, is not plugged in by anybody.
        if hasSeenMicrophones { wanted.insert(contentsOf: new.filter { $0.kind == .external }.reversed(), at: 0) }
        hasSeenMicrophones = true
        settle()
    }

    /// The person has chosen this microphone. One that is not connected changes nothing.
    public mutating func choose(_ id: DeviceID) {
        guard let microphone = microphones.first(where: { $0.id == id }) else { return }
        wanted.removeAll { $0.isSameInstance(as: microphone) }
        wanted.insert(microphone, at: 0)
        settle()
    }

    /// The microphone in a camera's housing, which is offered when the camera is used; `nil` if it has none.
    public func microphone(of camera: MediaDevice) -> MediaDevice? {
        guard let group = camera.group else { return nil }
        return microphones.first { $0.group == group }
    }

    private mutating func settle() {
        current =
            wanted.first ?? microphones.first { $0.kind != .virtual && $0.isReady }
            ?? microphones.first { $0.kind != .virtual } ?? microphones.first
    }
}
