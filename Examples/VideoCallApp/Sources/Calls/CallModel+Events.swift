import WebRTCKit

// Updates the model with the controller's events.
extension CallModel {
    /// Follows the events of a controller, in place of an earlier one.
    func follow(_ controller: WebRTCController) {
        following?.cancel()
        let events = controller.events
        following = Task { [weak self] in
            for await event in events {
                guard let self, !Task.isCancelled else { return }
                take(event)
            }
        }
    }

    private func take(_ event: WebRTCController.Event) {
        switch event {
        case .call(let call, let change): take(call, change)
        case .localVideo(let track, let isPresent):
            if isPresent { localVideoTrack = track } else if localVideoTrack == track { localVideoTrack = nil }
        case .remoteVideo(let track, let isPresent):
            if isPresent { remoteVideoTrack = track } else if remoteVideoTrack == track { remoteVideoTrack = nil }
        case .localAudio(let track, let isPresent), .remoteAudio(let track, let isPresent):
            audioTracks.removeAll { $0 == track }
            if isPresent { audioTracks.append(track) }
        case .device(let event, _): devices.note(event)
        case .server(.lost(let reason)):
            problem = reason
            // A call goes on without the server.
            if case .ready = stage { stage = .signedOut }
        default: break
        }
    }

    private func take(_ call: Call, _ change: Call.Change) {
        let name = call.peer.displayName
        if change == .began { ending = nil }
        if change == .connected { remindOfCode() }
        verification = call.verification
        isConnectionLost = call.state == .reconnecting
        switch call.state {
        case .calling: stage = .calling(name)
        case .ringing: stage = call.direction == .incoming ? .incoming(name) : .calling(name)
        case .connecting: stage = .connecting(name)
        case .connected, .reconnecting: stage = .inCall(name)
        case .ended:
            callEnded()
            ending = call.outcome.map { "\(name): \($0)" }
        }
    }

    private func remindOfCode() {
        reminder = Task {
            try await Task.sleep(for: .seconds(10))
            isVerificationOverdue = true
        }
    }

    func callEnded() {
        stage = .ready
        reminder?.cancel()
        remoteVideoTrack = nil
        audioTracks.removeAll { !$0.isLocal }
        (verification, isVerificationOverdue) = (.waiting, false)
        // A track that is muted would stay so in the next call. (`SystemCalls` unmutes it by itself.)
        setMuted(false)
        isConnectionLost = false
    }
}
