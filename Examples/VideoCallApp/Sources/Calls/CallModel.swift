import Foundation
import Observation
import WebRTCKit

/// Calls: where they stand, and what a person can do about them.
@MainActor
@Observable
final class CallModel {
    enum Stage {
        case signedOut
        case signingIn
        case ready
        // With the name of the other side, as it is shown.
        case incoming(String)
        case calling(String)
        case connecting(String)
        case inCall(String)
    }

    var stage = Stage.signedOut
    var localVideoTrack: WRKRTCVideoTrack?
    var remoteVideoTrack: WRKRTCVideoTrack?
    /// What is heard: oneself and the other side.
    var audioTracks: [WRKRTCAudioTrack] = []
    var verification = VerificationStatus.waiting
    /// Whether there should have been a code by now.
    var isVerificationOverdue = false
    var isMuted = false
    var isConnectionLost = false
    /// How the last call ended, for the person.
    var ending: String?
    /// What went wrong last, for the person.
    var problem: String?
    /// Whether the person has not allowed microphone or camera, which only the settings can change.
    var isDenied = false
    /// The audio session, where there is one.
    private(set) var audio: AudioSessionController?

    var isCameraOn: Bool {
        get { localVideoTrack != nil }
        set { setCamera(newValue) }
    }
    var isSignedOut: Bool { if case .signedOut = stage { true } else { false } }

    let devices: DeviceModel
    private let log: CallLog
    private var controller: WebRTCController?
    private var calls: (any CallList)?
    /// Reads the controller's events.
    var following: Task<Void, Never>?
    /// Looks for the code, ten seconds into a call.
    var reminder: Task<Void, any Error>?
    /// Who is to be called back as soon as somebody is signed in.
    private var wanted: (peer: PeerID, hasVideo: Bool)?
    /// Who has signed out and in again is another: what is left of the one before is of no interest.
    private var session = 0

    init(devices: DeviceModel, log: CallLog) {
        self.devices = devices
        self.log = log
    }

    // MARK: Signing in

    /// The system may have started the app for a push: whoever was signed in is so again.
    func resume(_ account: AccountModel) {
        let settings = UserDefaults.standard
        guard let server = settings.string(forKey: "server") else { return }
        switch settings.string(forKey: "signedInBy") {
        case "name": signIn(server: server, name: settings.string(forKey: "name") ?? "")
        case "account":
            guard
                account.restore(
                    issuer: settings.string(forKey: "issuer") ?? "", clientID: settings.string(forKey: "client") ?? "")
            else { return }
            signIn(server: server, account: account)
        default: break
        }
    }

    /// At a server that asks nobody who they are.
    func signIn(server: String, name: String) {
        signIn(by: "name") { try DuetSignaling(url: server, user: name) }
    }

    /// At a server that is shown an identity provider's token.
    func signIn(server: String, account: AccountModel) {
        signIn(by: "account") { try account.connection(to: server) }
    }

    private func signIn(by way: String, _ connection: () throws -> DuetSignaling) {
        problem = nil
        do {
            prepare(try connection())
        } catch {
            problem = "\(error)"
            return
        }
        UserDefaults.standard.set(way, forKey: "signedInBy")
        stage = .signingIn
        attempt(orBackTo: .signedOut) { [self] in
            _ = try await controller?.setupConnection()
            if case .signingIn = stage { stage = .ready }
            startMicrophone()
            if let wanted { callBack(wanted.peer, hasVideo: wanted.hasVideo) }
        }
    }

    /// Without a microphone somebody is signed in all the same, and can be called.
    func startMicrophone() { attempt { [self] in try await controller?.startRecording() } }

    /// Everything that must be there before a push comes in. Nothing here waits.
    private func prepare(_ connection: DuetSignaling) {
        var options = WebRTCKit.Options()
        options.devices = devices.devices
        options.logger = log.logger(isVerbose: true)
        let controller = WebRTCKit.initialize(signalingServer: connection, config: Config(), options: options)
        self.controller = controller
        (calls, audio) = makeCallList(controller, connection)
        follow(controller)
    }

    func signOut() {
        let controller = controller
        session += 1
        UserDefaults.standard.removeObject(forKey: "signedInBy")
        following?.cancel()
        callEnded()
        // Before the connection ends: the server wakes this phone no more.
        calls?.signedOut()
        (self.controller, calls, stage, wanted) = (nil, nil, .signedOut, nil)
        (audio, isDenied) = (nil, false)
        (localVideoTrack, audioTracks, ending, problem) = (nil, [], nil, nil)
        Task { try? await controller?.disconnect() }
    }

    // MARK: Calls

    func call(_ peer: PeerID, hasVideo: Bool? = nil) {
        problem = nil
        stage = .calling(peer)
        attempt(orBackTo: .ready) { [self] in
            if hasVideo == true { try await controller?.startVideoRecording() }
            try await calls?.startCall(to: peer, hasVideo: hasVideo ?? isCameraOn)
        }
    }

    /// The system asks for a call to somebody of its list. Where nobody is signed in yet, it waits for that.
    func callBack(_ peer: PeerID, hasVideo: Bool) {
        switch stage {
        case .ready:
            wanted = nil
            call(peer, hasVideo: hasVideo)
        case .signedOut, .signingIn: wanted = (peer, hasVideo)
        case .incoming, .calling, .connecting, .inCall: break
        }
    }

    func answer() { attempt { [self] in try await calls?.answerCall() } }
    func hangUp() { attempt { [self] in try await calls?.endCall() } }

    func setMuted(_ isMuted: Bool) {
        self.isMuted = isMuted
        calls?.setMuted(isMuted)
    }

    private func setCamera(_ isOn: Bool) {
        attempt { [self] in
            if isOn {
                try await controller?.startVideoRecording()
            } else {
                try await controller?.stopVideoRecording()
            }
        }
    }

    /// Sends the camera, in place of what was sent.
    func sendCamera() async throws { try await controller?.startVideoRecording() }

    /// Sends an app's own pictures in the camera's place: of the screen, of augmented reality.
    func send(_ capturer: sending RTCVideoCapturer) async throws {
        try await controller?.startVideoRecording(videoCapturer: capturer)
    }

    private func attempt(orBackTo stage: Stage? = nil, _ work: @escaping @MainActor () async throws -> Void) {
        let session = session
        Task {
            do {
                try await work()
            } catch  where session == self.session {
                problem = "\(error)"
                if case CallManagerError.deviceUnavailable(let error) = error { isDenied = error.code == .denied }
                if let stage { self.stage = stage }
            } catch {
                // Of nobody who is still signed in.
            }
        }
    }
}
