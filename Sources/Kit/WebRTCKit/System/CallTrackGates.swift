internal import RTC

/// A track that can be silenced: one of the kit's, or a test's.
protocol GatedTrack: AnyObject, Sendable {
    var isEnabled: Bool { get set }
    /// - Parameters:
    ///   - id: Whoever wants to be told.
    ///   - observer: Called after each change of `isEnabled`, on the thread of whoever made it. `nil`: no more.
    func observeEnabled(by id: ObjectIdentifier, _ observer: (@Sendable () -> Void)?)
}

extension AudioTrack: GatedTrack {}
extension VideoTrack: GatedTrack {}

/// Keeps a track silent for as long as there is a reason to, and then lets it be as the person wants it.
@MainActor
final class TrackGate {
    enum Reason: Hashable {
        /// The call is held.
        case hold
        /// Something else has the microphone and the speaker.
        case interruption
        /// What was heard in private would be heard aloud.
        case privacy
    }

    /// Told when the app has switched the track itself.
    var onSwitch: (@MainActor () -> Void)?
    private var track: (any GatedTrack)?
    private var reasons: Set<Reason> = []
    /// What the person wants.
    private var isWanted = true

    /// Whether the track is as the person wants it.
    var isOpen: Bool { reasons.isEmpty }

    var isMuted: Bool {
        get { !isWanted }
        set {
            isWanted = !newValue
            if isOpen { track?.isEnabled = isWanted }
        }
    }

    func attach(_ track: any GatedTrack) {
        guard track !== self.track else { return }
        self.track?.observeEnabled(by: ObjectIdentifier(self), nil)
        self.track = track
        track.observeEnabled(by: ObjectIdentifier(self)) { [weak self] in
            Task { @MainActor in self?.trackWasSwitched() }
        }
        // One that comes silent stays so.
        if isWanted { isWanted = track.isEnabled }
        track.isEnabled = isWanted && isOpen
    }

    func set(_ reason: Reason, _ isOn: Bool) {
        let wasOpen = isOpen
        if isOn { reasons.insert(reason) } else { reasons.remove(reason) }
        guard wasOpen != isOpen else { return }
        if wasOpen, let track { isWanted = track.isEnabled }
        track?.isEnabled = isWanted && isOpen
    }

    /// By the app or by us: it can be seen, since ours changes nothing of what is wanted.
    private func trackWasSwitched() {
        guard let track, track.isEnabled != (isWanted && isOpen) else { return }
        isWanted = track.isEnabled
        track.isEnabled = isWanted && isOpen
        onSwitch?()
    }

    /// The call is over.
    func release(keepsTrack: Bool) {
        reasons = []
        isMuted = false
        guard !keepsTrack else { return }
        track?.observeEnabled(by: ObjectIdentifier(self), nil)
        track = nil
    }
}

/// The gates of a call's tracks. Whoever has a reason to silence something does it here, so that nobody opens what another
/// has closed.
@MainActor
final class CallTrackGates {
    let localAudio = TrackGate()
    let localVideo = TrackGate()
    let remoteAudio = TrackGate()

    var isMuted: Bool {
        get { localAudio.isMuted }
        set { localAudio.isMuted = newValue }
    }

    func hold(_ isOn: Bool) {
        for gate in [localAudio, localVideo, remoteAudio] { gate.set(.hold, isOn) }
    }

    /// The call is over. One's own tracks may serve the next one.
    func release() {
        localAudio.release(keepsTrack: true)
        localVideo.set(.hold, false)
        remoteAudio.release(keepsTrack: false)
    }
}
