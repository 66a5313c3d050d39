import SwiftUI
import WebRTCKit

/// Asks for the server and a name.
struct SignInView: View {
    let model: CallModel
    @AppStorage("server") private var server = "wss://calls.example.org"
    @AppStorage("name") private var name = ""

    var body: some View {
        VStack(spacing: 16) {
            Text("Video calls").font(.largeTitle)
            TextField("Server", text: $server).textFieldStyle(.roundedBorder)
            TextField("Your name", text: $name).textFieldStyle(.roundedBorder)
            Button("Sign in") { model.signIn(server: server, name: name) }
                .buttonStyle(.borderedProminent)
                .disabled(server.isEmpty || name.isEmpty)
            ProblemText(problem: model.problem)
        }
        .autocorrectionDisabled()
        .padding()
        .frame(maxWidth: 400)
    }
}

/// Asks whom to call.
struct DialView: View {
    let model: CallModel
    @State private var peer = ""

    var body: some View {
        VStack(spacing: 16) {
            TextField("Whom do you want to call?", text: $peer)
                .textFieldStyle(.roundedBorder)
                .autocorrectionDisabled()
                .onSubmit { call() }
            Button("Call") { call() }
                .buttonStyle(.borderedProminent)
                .disabled(peer.isEmpty)
            if model.isCameraOn {
                LocalVideo(model: model)
            }
            CameraButton(model: model)
            Button("Sign out") { model.signOut() }
            ProblemText(problem: model.problem)
        }
        .padding()
        .frame(maxWidth: 400)
    }

    private func call() {
        if !peer.isEmpty { model.call(peer) }
    }
}

/// Somebody calls. On iOS the system's screen shows it too, and works also when the app is in the background.
struct IncomingCallView: View {
    let model: CallModel
    let peer: PeerID

    var body: some View {
        VStack(spacing: 24) {
            Text("\(peer) is calling").font(.title)
            HStack(spacing: 24) {
                Button("Decline", role: .destructive) { model.hangUp() }.buttonStyle(.bordered)
                Button("Answer") { model.answer() }.buttonStyle(.borderedProminent)
            }
        }
        .padding()
    }
}

/// A call: the other side large, oneself in the corner, the code, and the buttons.
struct CallView: View {
    let model: CallModel
    let peer: PeerID
    let title: String

    var body: some View {
        ZStack {
            WebRTCVideoView(videoTrack: model.remoteVideoTrack).ignoresSafeArea()
            VStack {
                Text(model.isConnectionLost ? "Looking for the connection…" : title).font(.headline)
                VerificationView(status: model.verification, isOverdue: model.isVerificationOverdue)
                Spacer()
                HStack {
                    Spacer()
                    if model.isCameraOn { LocalVideo(model: model) }
                }
                HStack(spacing: 24) {
                    Button(model.isMuted ? "Unmute" : "Mute") { model.setMuted(!model.isMuted) }
                    CameraButton(model: model)
                    Button("Hang up", role: .destructive) { model.hangUp() }
                }
                .buttonStyle(.borderedProminent)
                ProblemText(problem: model.problem)
            }
            .foregroundStyle(.white)
            .padding()
        }
        .background(Color.black)
    }
}

/// If both persons read the same to each other, nobody is in the middle.
struct VerificationView: View {
    let status: VerificationStatus
    /// Whether there should have been a code by now.
    let isOverdue: Bool
    @State private var showsHelp = false

    var body: some View {
        switch status {
        case .waiting:
            if isOverdue {
                Text("No code. It cannot be told whether somebody is in the middle of this call.").font(.caption)
            }
        case .code(let code):
            VStack(spacing: 4) {
                Button(code.emoji.joined(separator: " ")) { showsHelp.toggle() }.font(.title)
                    .accessibilityLabel(code.emojiNames.joined(separator: ", "))
                if showsHelp {
                    Text("Read this to each other, or \(code.groupedDigits). If it differs, somebody listens.").font(
                        .caption)
                }
            }
        case .failed:
            Text("Do not trust this call: somebody may be in the middle.").foregroundStyle(.red)
        }
    }
}

/// Oneself, as in a mirror.
struct LocalVideo: View {
    let model: CallModel

    var body: some View {
        WebRTCVideoView(videoTrack: model.localVideoTrack)
            .cornerRadius(12)
            .frame(width: 120, height: 160)
    }
}

struct CameraButton: View {
    let model: CallModel

    var body: some View {
        Button(model.isCameraOn ? "Camera off" : "Camera on") { model.setCamera(!model.isCameraOn) }
    }
}

struct ProblemText: View {
    let problem: String?

    var body: some View {
        if let problem { Text(problem).font(.caption).foregroundStyle(.red) }
    }
}
