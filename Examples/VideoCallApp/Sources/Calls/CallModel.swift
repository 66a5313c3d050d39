import Foundation
import Observation
import WebRTCKit

/// The state of calls, and what the person can do.
@MainActor
@Observable
final class CallModel {
    enum Stage {
        case signedOut
        case signingIn
        case ready
        // With the display name of the other side.
        case incoming(String)
        case calling(String)
        case connecting(String)
        case inCall(String)
    }

    var stage = Stage.signedOut
    var localVideoTrack: WRKRTCVideoTrack?
    var remoteVideoTrack: WRKRTCVideoTrack?
    /// The local and the remote audio.
    var audioTracks: [WRKRTCAudioTrack] = []
    var verification = VerificationStatus.waiting
    /// Whether there is still no code ten seconds after the call was connected.
    var isVerificationOverdue = false
    /// Whether the microphone is muted, here or on the system's screens.
    var isMuted: Bool { calls?.isMuted ?? isMutedHere }
    private var isMutedHere = false
    var isConnectionLost = false
    /// How the last call ended, to show.
    var ending: String?
    /// The last error, to show.
    var problem: String?
    /// Whether microphone or camera was denied, which only the settings can change.
    var isDenied = false
    /// The audio session, where there is one.
    private(set) var audio: AudioSessionController?

    var isCameraOn: Bool {
        get { localVideoTrack != nil }
        set { setCamera(newValue) }
    }
    /// The heading of a call.
    var title: String {
        switch stage {
        case .calling(let name): "Calling \(name)…"
        case .connecting(let name): "Connecting to \(name)…"
        case .inCall(let name), .incoming(let name): name
        case .signedOut, .signingIn, .ready: ""
        }
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
    /// The peer to call back as soon as the user is signed in.
    private var wanted: (peer: PeerID, hasVideo: Bool)?
    /// Counts sign-outs, so that results of an earlier session are ignored.
    private var session = 0

    init(devices: DeviceModel, log: CallLog) {
        self.devices = devices
        self.log = log
    }

    // MARK: Signing in

    /// Signs in again as before: the system may have started the app for a push.
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

    /// Signs in at a server that accepts any name.
    func signIn(server: String, name: String) {
        signIn(by: "name") { try DuetSignaling(url: server, user: name) }
    }

    /// Signs in with a token of an identity provider.
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

    /// Without a microphone the user is signed in nevertheless, and can be called.
    func startMicrophone() { attempt { [self] in try await controller?.startRecording() } }

    /// Creates everything that a push needs, without waiting for anything.
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
        // Before the connection ends, so that the server stops sending pushes to this phone.
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

    /// Calls a peer from the system's recents, as soon as the user is signed in.
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
        isMutedHere = isMuted
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

    /// Sends the app's own video in place of the camera's: of the screen, or of augmented reality.
    ///
    /// - Parameter showsText: Whether it shows text, as a screen does: on a slow network it then keeps its size, at fewer frames.
    func send(_ capturer: sending RTCVideoCapturer, showsText: Bool = false) async throws {
        try await controller?.startVideoRecording(videoCapturer: capturer)
        if showsText { await controller?.localVideoTrack?.track.contentHint = .text }
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
                // Of an earlier session.
            }
        }
    }
}
