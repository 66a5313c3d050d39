internal import Observation
internal import RTC

/// A track that can be muted: the kit's, or a test's.
protocol GatedTrack: AnyObject, Sendable {
    var isEnabled: Bool { get set }
    /// Whether it has ended: `isEnabled` changes no more.
    var isEnded: Bool { get }
    /// - Parameters:
    ///   - id: Identifies the observer.
    ///   - observer: Called after each change of `isEnabled`, on the thread that made it; `nil` removes it.
    func observeEnabled(by id: ObjectIdentifier, _ observer: (@Sendable () -> Void)?)
}

extension AudioTrack: GatedTrack {}
extension VideoTrack: GatedTrack {}

/// Mutes a track while there is a reason, and otherwise leaves it as the person has chosen.
@MainActor
@Observable
final class TrackGate {
    enum Reason: Hashable {
        /// The call is held.
        case hold
        /// Something else uses the microphone and the loudspeaker.
        case interruption
        /// Private audio would be played aloud.
        case privacy
    }

    /// Called when the app has changed `isEnabled` of the track itself, or has added a track that is disabled.
    @ObservationIgnored var onSwitch: (@MainActor () -> Void)?
    @ObservationIgnored private var track: (any GatedTrack)?
    @ObservationIgnored private var reasons: Set<Reason> = []
    /// Whether the person wants the track to be enabled.
    private var isWanted = true

    /// Whether no reason mutes the track.
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
        // A track that is disabled when it is added stays so.
        let isSwitched = isWanted && !track.isEnabled
        if isSwitched { isWanted = false }
        track.isEnabled = isWanted && isOpen
        if isSwitched { onSwitch?() }
    }

    func set(_ reason: Reason, _ isOn: Bool) {
        let wasOpen = isOpen
        if isOn { reasons.insert(reason) } else { reasons.remove(reason) }
        if wasOpen != isOpen { update(wasOpen: wasOpen) }
    }

    private func trackWasSwitched() { update(wasOpen: isOpen) }

    /// Lets the track be as it is wanted. If the app has switched it meanwhile, that is what is wanted.
    private func update(wasOpen: Bool) {
        guard let track, !track.isEnded else { return }
        let isSwitched = track.isEnabled != (isWanted && wasOpen)
        if isSwitched { isWanted = track.isEnabled }
        track.isEnabled = isWanted && isOpen
        if isSwitched { onSwitch?() }
    }

    /// Called when the call is over.
    func release(keepsTrack: Bool) {
        reasons = []
        isMuted = false
        guard !keepsTrack else { return }
        track?.observeEnabled(by: ObjectIdentifier(self), nil)
        track = nil
    }
}

/// The gates of a call's tracks. Everything that mutes a track does so here, so that no reason is overridden by another.
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

    /// Called when the call is over. The local tracks may be used by the next one.
    func release() {
        localAudio.release(keepsTrack: true)
        localVideo.set(.hold, false)
        remoteAudio.release(keepsTrack: false)
    }
}
