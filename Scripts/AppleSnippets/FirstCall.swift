import Observation
import SwiftUI
import WebRTCKit

// The first call of README and of docs/first-fifteen-minutes.md, as it stands there.

@MainActor
@Observable
final class FirstCall {
    private(set) var local: WRKRTCVideoTrack?
    private(set) var remote: WRKRTCVideoTrack?
    private(set) var caller: PeerID?
    private(set) var problem: String?
    private var controller: WebRTCController?

    func connect() async throws {
        let server = try DuetSignaling(url: "ws://192.168.1.2:8080/signal", user: "alice")
        let controller = await WebRTCKit.initialize(signalingServer: server, config: Config())
        self.controller = controller  // keep it: a call lasts as long
        await controller.setCallManagerDelegate(self)  // it gives tracks, which WebRTCVideoView shows
        try await controller.setupConnection()
        try await controller.startRecording()  // the system asks for the microphone
        try await controller.startVideoRecording()  // … and for the camera
    }

    func call() async throws { try await controller?.sendCallRequest(to: "bob") }

    func answer() async throws {
        try await controller?.answerCallRequest(accept: true)
        caller = nil
    }

    func hangUp() async throws { try await controller?.endCall() }

    /// What goes wrong is shown.
    func run(_ work: @escaping @MainActor () async throws -> Void) {
        problem = nil
        Task {
            do { try await work() } catch { problem = "\(error)" }
        }
    }

    private func ended(_ error: CallManagerError?) {
        (remote, caller, problem) = (nil, nil, error?.description)
    }
}

nonisolated extension FirstCall: CallManagerDelegate {
    func didReceiveIncomingCall(from peerID: PeerID) { Task { @MainActor in caller = peerID } }
    func didAddLocalVideoTrack(_ videoTrack: WRKRTCVideoTrack) { Task { @MainActor in local = videoTrack } }
    func didAddRemoteVideoTrack(_ videoTrack: WRKRTCVideoTrack) { Task { @MainActor in remote = videoTrack } }
    func callDidStart() {}
    func callDidEnd(withError error: CallManagerError?) { Task { @MainActor in ended(error) } }
    func didReceiveDataChannel(_ dataChannel: WRKDataChannel) {}
}

struct FirstCallView: View {
    @State private var first = FirstCall()

    var body: some View {
        VStack {
            WebRTCVideoView(videoTrack: first.remote)
            WebRTCVideoView(videoTrack: first.local).frame(maxHeight: 120)
            if let caller = first.caller {
                Button("Answer \(caller)") { first.run(first.answer) }
            }
            Button("Call Bob") { first.run(first.call) }
            Button("Hang up") { first.run(first.hangUp) }
            if let problem = first.problem { Text(problem) }
        }
        .task { first.run(first.connect) }
    }
}
