import Observation
import SwiftUI
import WebRTCKit

// The first call of README and of docs/first-fifteen-minutes.md, as it stands there.

@MainActor
@Observable
final class FirstCall {
    /// The call, its state, and the tracks. Keep it: a call lasts as long.
    private(set) var model: WebRTCControllerModel?
    private(set) var problem: String?

    func connect() async throws {
        let server = try DuetSignaling(url: "ws://192.168.1.2:8080/signal", user: "alice")
        let controller = await WebRTCKit.initialize(signalingServer: server, config: Config())
        try await controller.setupConnection()
        model = WebRTCControllerModel(controller)  // for SwiftUI: the call, its state, and the tracks
        try await controller.startRecording()  // the system asks for the microphone
        try await controller.startVideoRecording()  // … and for the camera
    }

    func call() async throws { try await model?.controller.sendCallRequest(to: "bob") }

    func answer() async throws { try await model?.controller.answerCallRequest(accept: true) }

    func hangUp() async throws { try await model?.controller.endCall() }

    /// What goes wrong is shown.
    func run(_ work: @escaping @MainActor () async throws -> Void) {
        problem = nil
        Task {
            do { try await work() } catch { problem = "\(error)" }
        }
    }
}

struct FirstCallView: View {
    @State private var first = FirstCall()

    var body: some View {
        VStack {
            WebRTCVideoView(videoTrack: first.model?.remoteVideoTrack)
            WebRTCVideoView(videoTrack: first.model?.localVideoTrack).frame(maxHeight: 120)
            if let call = first.model?.call {
                Text("\(call.peer.displayName): \(call.outcome?.description ?? "\(call.state)")")
                if call.direction == .incoming, call.state == .ringing {
                    Button("Answer") { first.run(first.answer) }
                }
            }
            if first.model == nil {
                Button("Connect") { first.run(first.connect) }.disabled(first.problem == nil)  // nil while it connects
            } else {
                Button("Call Bob") { first.run(first.call) }
                Button("Hang up") { first.run(first.hangUp) }
            }
            if let problem = first.problem { Text(problem) }
        }
        .task { if first.model == nil { first.run(first.connect) } }
    }
}
