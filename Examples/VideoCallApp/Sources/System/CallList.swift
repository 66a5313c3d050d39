import WebRTCKit

/// Makes calls: through the system's list of calls, or with the controller alone.
@MainActor
protocol CallList {
    func startCall(to peer: PeerID, hasVideo: Bool) async throws
    func answerCall() async throws
    func endCall() async throws
    func setMuted(_ isMuted: Bool)
    /// Whether the system shows the microphone as muted; `nil` if it shows no calls.
    var isMuted: Bool? { get }
    /// Stops pushes, since nobody is signed in any more.
    func signedOut()
}

#if os(iOS) || os(visionOS)
    /// Calls ring on the lock screen, and are in the phone's list of recents.
    private struct SystemCallList: CallList {
        let calls: SystemCalls
        let pushes: PushHandler

        func startCall(to peer: PeerID, hasVideo: Bool) async throws {
            try await calls.startCall(to: peer, hasVideo: hasVideo)
        }
        func answerCall() async throws { calls.answerCall() }
        func endCall() async throws { try await calls.endCall() }
        func setMuted(_ isMuted: Bool) { calls.setMuted(isMuted) }
        var isMuted: Bool? { calls.isMuted }
        func signedOut() { pushes.unregister() }
    }

    /// - Returns: The list, and the audio session, where there is one.
    @MainActor
    func makeCallList(
        _ controller: WebRTCController, _ server: DuetSignaling
    ) -> (any CallList, AudioSessionController?) {
        let audio = AudioSessionController(session: SystemAudioSession())
        // `CallView` shows a button while `needsResuming`.
        audio.onNotice = { _ in }
        let calls = SystemCalls(controller: controller, provider: CallKitProvider(), audio: audio)
        return (SystemCallList(calls: calls, pushes: makePushHandler(calls, server)), audio)
    }
#else
    /// macOS has no list of calls.
    private final class DirectCallList: CallList {
        private let controller: WebRTCController

        init(_ controller: WebRTCController) {
            self.controller = controller
        }

        func startCall(to peer: PeerID, hasVideo: Bool) async throws {
            try await controller.sendCallRequest(to: peer)
        }
        func answerCall() async throws { try await controller.answerCallRequest(accept: true) }
        func endCall() async throws { try await controller.endCall() }
        func setMuted(_ isMuted: Bool) {
            Task { await controller.localAudioTrack?.isEnabled = !isMuted }
        }
        var isMuted: Bool? { nil }
        func signedOut() {}
    }

    /// - Returns: The list, and the audio session, where there is one.
    @MainActor
    func makeCallList(
        _ controller: WebRTCController, _ server: DuetSignaling
    ) -> (any CallList, AudioSessionController?) {
        (DirectCallList(controller), nil)
    }
#endif
