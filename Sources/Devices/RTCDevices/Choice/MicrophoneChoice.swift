/// The rules for choosing among several microphones: the one that was connected last, until the person chooses another.
///
/// It is a value: update it with events, and use the ``current`` microphone. On iOS, where the system shows a single
/// microphone whose name follows the audio route, that one is used.
public struct MicrophoneChoice: Sendable {
    /// All connected microphones.
    public private(set) var microphones: [MediaDevice] = []
    /// The microphone to use; `nil` if there is none.
    public private(set) var current: MediaDevice?
    /// The camera in use; `nil` if there is none. The microphone built into it is offered with it.
    package var camera: MediaDevice?

    /// Microphones that were connected or chosen, the latest first. Those that have gone since are kept: they may be
    /// back with the system's service.
    private var wanted: [MediaDevice] = []
    private var hasSeenMicrophones = false
    /// The most microphones that are remembered.
    private static let limit = 8

    package init() {}

    /// Updates the connected microphones. The first call establishes those that were connected before launch; an
    /// external microphone that is added later was connected by a person, unless the system's service was unavailable
    /// and reports known ones again.
    package mutating func update(_ microphones: [MediaDevice]) {
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
            // A virtual microphone, such as one that cancels the echo, was not plugged in by the person.
            want(microphone)
        }
    }

    private mutating func want(_ microphone: MediaDevice) {
        wanted.removeAll { $0.id == microphone.id }
        wanted.insert(microphone, at: 0)
        if wanted.count > Self.limit { wanted.removeLast() }
    }

    /// Chooses a microphone. Does nothing if it is not connected.
    package mutating func choose(_ id: DeviceID) {
        guard let microphone = microphones.first(where: { $0.id == id }) else { return }
        want(microphone)
        settle()
    }

    /// All microphones in the order for a list, the one built into the camera in use first.
    public var list: [MediaDevice] {
        guard let first = camera.flatMap(microphone(of:)) else { return microphones }
        return [first] + microphones.filter { !$0.isSameInstance(as: first) }
    }

    /// Returns the microphone built into a camera; `nil` if it has none.
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
