import SwiftUI
import WebRTCKit

/// Makes calls, and shows the last call and the recordings.
struct CallsView: View {
    let model: AppModel
    @State private var peer = ""

    var body: some View {
        Form {
            switch model.calls.stage {
            case .signedOut: Text("Sign in first: under “Account”.")
            case .signingIn: ProgressView("Signing in…")
            case .ready, .incoming, .calling, .connecting, .inCall:
                Section("Call") {
                    TextField("Whom do you want to call?", text: $peer)
                        .autocorrectionDisabled()
                        .onSubmit { call(hasVideo: model.calls.isCameraOn) }
                    Button("Call") { call(hasVideo: false) }.disabled(peer.isEmpty)
                    Button("Video call") { call(hasVideo: true) }.disabled(peer.isEmpty)
                }
            }
            if let ending = model.calls.ending { Section("Last call") { Text(ending) } }
            ProblemText(problem: model.calls.problem)
            // A denied permission is granted in the system's settings; the error says where.
            if model.calls.isDenied { Button("Try the microphone again") { model.calls.startMicrophone() } }
            if !model.recording.files.isEmpty {
                Section("Recordings and photos") { RecordingList(recording: model.recording) }
            }
        }
        .navigationTitle("Calls")
    }

    private func call(hasVideo: Bool) {
        if !peer.isEmpty { model.calls.call(peer, hasVideo: hasVideo) }
    }
}

/// Shows an incoming call. On iOS the system's screen shows it too, also while the app is in the background.
struct IncomingCallView: View {
    let model: CallModel
    let caller: String

    var body: some View {
        VStack(spacing: 24) {
            Text("\(caller) is calling").font(.title)
            HStack(spacing: 24) {
                Button("Decline", role: .destructive) { model.hangUp() }.buttonStyle(.bordered)
                Button("Answer") { model.answer() }.buttonStyle(.borderedProminent)
            }
        }
        .padding()
    }
}

struct ProblemText: View {
    let problem: String?

    var body: some View {
        if let problem { Text(problem).font(.caption).foregroundStyle(.red) }
    }
}
