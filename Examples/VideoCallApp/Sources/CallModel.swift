import Foundation
import Observation
import WebRTCKit

/// Everything that the app's views show, and everything that they can do.
@MainActor
@Observable
final class CallModel {
    enum Stage {
        case signedOut
        case signingIn
        case ready
        case incoming(PeerID)
        case calling(PeerID)
        case inCall(PeerID)
    }

    private(set) var stage = Stage.signedOut
    private(set) var localVideoTrack: WRKRTCVideoTrack?
    private(set) var remoteVideoTrack: WRKRTCVideoTrack?
    private(set) var verification = VerificationStatus.waiting
    /// Whether there should have been a code by now.
    private(set) var isVerificationOverdue = false
    private(set) var isMuted = false
    private(set) var isConnectionLost = false
    /// What went wrong last, for the person.
    private(set) var problem: String?

    var isCameraOn: Bool { localVideoTrack != nil }

    private var controller: WebRTCController?
    private var calls: (any CallList)?
    private var delegates: CallManagerDelegateGroup?
    /// Looks for the code, ten seconds into a call.
    private var reminder: Task<Void, any Error>?
    /// Who has signed out and in again is another: what is left of the one before is of no interest.
    private var session = 0
    /// What the controller tells, on any thread, in order.
    private nonisolated let changes: AsyncStream<@MainActor @Sendable (CallModel) -> Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: (@MainActor @Sendable (CallModel) -> Void).self)
        changes = continuation
        Task { [weak self] in
            for await change in stream {
                guard let self else { return }
                change(self)
            }
        }
        // The system may have started the app for a push: whoever was signed in is so again.
        let settings = UserDefaults.standard
        if let server = settings.string(forKey: "server"), let name = settings.string(forKey: "name"), !name.isEmpty {
            signIn(server: server, name: name)
        }
    }

    // MARK: What a person does

    func signIn(server: String, name: String) {
        problem = nil
        do {
            try prepare(server: server, name: name)
        } catch {
            problem = "\(error)"
            return
        }
        stage = .signingIn
        attempt(orBackTo: .signedOut) { [self] in
            await controller?.setCallManagerDelegate(delegates)
            _ = try await controller?.setupConnection()
            try await controller?.startRecording()
            if case .signingIn = stage { stage = .ready }
        }
    }

    /// Everything that must be there before a push comes in. Nothing here waits.
    private func prepare(server: String, name: String) throws {
        let signalingServer = try DuetSignaling(url: server, user: name)
        let controller = WebRTCKit.initialize(signalingServer: signalingServer, config: Config())
        let (calls, delegate) = makeCallList(controller)
        self.controller = controller
        self.calls = calls
        delegates = CallManagerDelegateGroup([delegate, self].compactMap { $0 })
    }

    func signOut() {
        let controller = controller
        session += 1
        callEnded(nil)
        calls?.signedOut()
        (self.controller, calls, delegates, stage) = (nil, nil, nil, .signedOut)
        (localVideoTrack, problem) = (nil, nil)
        Task { try? await controller?.disconnect() }
    }

    func call(_ peer: PeerID) {
        problem = nil
        stage = .calling(peer)
        attempt(orBackTo: .ready) { [self] in try await calls?.startCall(to: peer, hasVideo: isCameraOn) }
    }

    func answer() { attempt { [self] in try await calls?.answerCall() } }
    func hangUp() { attempt { [self] in try await calls?.endCall() } }

    func setMuted(_ isMuted: Bool) {
        self.isMuted = isMuted
        calls?.setMuted(isMuted)
    }

    func setCamera(_ isOn: Bool) {
        attempt { [self] in
            if isOn {
                try await controller?.startVideoRecording()
            } else {
                try await controller?.stopVideoRecording()
            }
        }
    }

    private func attempt(orBackTo stage: Stage? = nil, _ work: @escaping @MainActor () async throws -> Void) {
        let session = session
        Task {
            do {
                try await work()
            } catch  where session == self.session {
                problem = "\(error)"
                if let stage { self.stage = stage }
            } catch {
                // Of nobody who is still signed in.
            }
        }
    }

    // MARK: What the controller tells

    private func callEnded(_ error: CallManagerError?) {
        if case .signedOut = stage { return }
        stage = .ready
        reminder?.cancel()
        problem = error.map { "The call has ended: \($0)" }
        remoteVideoTrack = nil
        (verification, isVerificationOverdue) = (.waiting, false)
        isMuted = false
        isConnectionLost = false
    }

    private func callStarted() {
        switch stage {
        case .calling(let peer), .incoming(let peer): stage = .inCall(peer)
        case .signedOut, .signingIn, .ready, .inCall: break
        }
        reminder = Task {
            try await Task.sleep(for: .seconds(10))
            isVerificationOverdue = true
        }
    }
}

extension CallModel: CallManagerDelegate {
    nonisolated func didReceiveIncomingCall(from peerID: PeerID) { changes.yield { $0.stage = .incoming(peerID) } }
    nonisolated func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        changes.yield { $0.localVideoTrack = videoTrack }
    }
    nonisolated func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) {
        changes.yield { $0.remoteVideoTrack = videoTrack }
    }
    nonisolated func didAddLocalAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    nonisolated func didAddRemoteAudioTrack(_ audioTrack: WRKRTCAudioTrack) {}
    nonisolated func remoteVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        changes.yield { if $0.remoteVideoTrack == videoTrack { $0.remoteVideoTrack = nil } }
    }
    nonisolated func callDidStart() { changes.yield { $0.callStarted() } }
    nonisolated func callDidEnd(withError error: CallManagerError?) { changes.yield { $0.callEnded(error) } }
    nonisolated func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
    nonisolated func connectionLost() { changes.yield { $0.isConnectionLost = true } }
    nonisolated func connectionRestored() { changes.yield { $0.isConnectionLost = false } }
    nonisolated func verificationDidChange(to status: VerificationStatus) {
        changes.yield { $0.verification = status }
    }
    nonisolated func localVideoTrackWasRemoved(_ videoTrack: WRKRTCVideoTrack) {
        changes.yield { if $0.localVideoTrack == videoTrack { $0.localVideoTrack = nil } }
    }
}
