import Logging
import RTC
import WebRTCKit

extension CallSession {
    /// Handles an event of the kit.
    func handle(_ event: WebRTCController.Event) async {
        switch event {
        case .call(let call, let change): await handle(call, change)
        case .finalStatistics(let report): finalStatistics = report
        case .busy(let peer): reporter.show(.note("\(peer.user) calls too, and is told that we are busy."))
        case .server(let server): await handle(server)
        case .localVideo(let track, isPresent: true): if let screen = sinks.screen { track.add(screen.local) }
        case .remoteVideo(let track, isPresent: true): show(track)
        case .remoteAudio(let track, isPresent: true): play(track)
        case .dataChannel(let channel):
            if channel.label == ChatChannel.label { await openChat(channel, isOpen: true) }
        case .connectionState(let state, let reason): await changed(to: state, reason: reason)
        case .device(let event, let media): await handle(event, of: media)
        case .localAudio, .localVideo, .remoteAudio, .remoteVideo, .caughtUp, .missed: break
        }
    }

    private func handle(_ new: Call, _ change: Call.Change) async {
        if change == .began {
            callCount += 1
            call = CurrentCall(number: callCount, new)
        } else {
            call?.call = new
        }
        switch change {
        case .began where new.direction == .incoming: await called(new)
        case .began: await calls(new)
        case .glare:
            reporter.show(.note("Both called at the same time; the call of \(new.peer.user) is taken."))
            await sinks.callBegan(title: new.peer.displayName, status: "Connecting to \(new.peer.displayName)…")
        case .ringing:
            reporter.show(.ringing(by: new.peer.user))
            await sinks.status("It rings at \(new.peer.displayName)…")
        case .answered:
            call?.deadlines.accept = nil
            call?.pathlessSince = .now
            if new.direction == .outgoing { reporter.show(.answered(by: new.peer)) }
            await sinks.status("Connecting to \(new.peer.displayName)…")
        case .connected: await started()
        case .verification: await verified(new.verification)
        case .quality: if let quality = new.quality { reporter.show(.quality(quality)) }
        case .presence: reporter.show(.peer(new.peer.presence.rawValue))
        case .ended: await ended()
        case .present, .connectionLost, .connectionRestored: break
        }
    }

    private func calls(_ new: Call) async {
        reporter.show(.calling(new, at: CurrentCall.clock(call?.start ?? .now)))
        await sinks.callBegan(title: new.peer.displayName, status: "Calling \(new.peer.displayName)…")
    }

    private func called(_ new: Call) async {
        guard case .answer(let answering) = settings.role, !isEnding else {
            try? await controller.answerCallRequest(accept: false)
            return
        }
        let name = new.peer.displayName
        reporter.show(.incoming(new))
        if answering.rejects {
            await answer(accept: false)
        } else if answering.ringing == .zero {
            // The kit answers automatically.
            await sinks.callBegan(title: name, status: "Connecting to \(name)…")
        } else {
            call?.deadlines.accept = .now + answering.ringing
            await sinks.callBegan(title: name, status: "\(name) calls.")
        }
    }

    private func changed(to state: ConnectionState, reason: String?) async {
        guard let call, call.state != state else { return }
        self.call?.state = state
        guard state != .closed else { return }
        reporter.show(.connection(state, milliseconds: call.milliseconds(), reason: reason))
        switch state {
        case .connected:
            self.call?.pathlessSince = nil
            if self.call?.connectedAt == nil {
                self.call?.connectedAt = .now
                self.call?.summary.connected = call.milliseconds()
            }
            await sinks.status("Connected")
        case .disconnected, .failed:
            if call.pathlessSince == nil { self.call?.pathlessSince = .now }
            await sinks.status("The path is interrupted; looking for another one…")
        default: break
        }
    }

    private func started() async {
        guard let call else { return }
        self.call?.deadlines.figures = .now + .seconds(1)
        if call.call.verification == .waiting {
            self.call?.deadlines.verification = .now + CallSettings.verificationPatience
        }
        self.call?.deadlines.hangUp = settings.duration.map { .now + $0 }
        // The reference for the first bitrates.
        if let report = try? await controller.statistics() { self.call?.lastReport = (report, .now) }
        guard call.call.direction == .outgoing else { return }
        do {
            await openChat(try await controller.createDataChannel(label: ChatChannel.label), isOpen: false)
        } catch {
            // Usually because the call has just ended.
            log.info("The channel for messages cannot be opened: \(error)")
        }
    }

    /// - Parameter status: `waiting` if there is no code after the time limit.
    func verified(_ status: VerificationStatus) async {
        call?.deadlines.verification = nil
        reporter.show(.verification(status))
        await sinks.verification(status)
    }
}
