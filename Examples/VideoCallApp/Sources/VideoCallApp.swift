import SwiftUI

@main
struct VideoCallApp: App {
    // Made when the app starts, also when the system starts it in the background for a push.
    @State private var model = CallModel()

    var body: some Scene {
        WindowGroup {
            RootView(model: model)
        }
    }
}

/// Shows what there is to do.
struct RootView: View {
    let model: CallModel

    var body: some View {
        switch model.stage {
        case .signedOut: SignInView(model: model)
        case .signingIn: ProgressView("Signing in…")
        case .ready: DialView(model: model)
        case .incoming(let peer): IncomingCallView(model: model, peer: peer)
        case .calling(let peer): CallView(model: model, peer: peer, title: "Calling \(peer)…")
        case .inCall(let peer): CallView(model: model, peer: peer, title: peer)
        }
    }
}
