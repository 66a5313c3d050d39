internal import RTC

/// The controller's events that concern the audio session and the tracks.
enum KitEvent: Sendable {
    case localAudio(AudioTrack)
    case remoteAudio(AudioTrack)
    case localVideo(VideoTrack)
    case started
    case ended

    init?(_ event: WebRTCController.Event) {
        switch event {
        case .localAudio(let track, isPresent: true): self = .localAudio(track.track)
        case .remoteAudio(let track, isPresent: true): self = .remoteAudio(track.track)
        case .localVideo(let track, isPresent: true): self = .localVideo(track.track)
        case .call(_, .connected): self = .started
        case .call(_, .ended): self = .ended
        default: return nil
        }
    }
}

extension CallTrackGates {
    func attach(_ event: KitEvent) {
        switch event {
        case .localAudio(let track): localAudio.attach(track)
        case .remoteAudio(let track): remoteAudio.attach(track)
        case .localVideo(let track): localVideo.attach(track)
        case .started, .ended: break
        }
    }
}
