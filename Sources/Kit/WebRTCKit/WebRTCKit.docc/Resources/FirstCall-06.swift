import WebRTCKit

@main
struct FirstCall {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 3 else { return print("usage: first-call SERVER NAME [PEER]") }
        let server = try DuetSignaling(url: words[1], user: words[2])

        var options = WebRTCKit.Options()
        options.sources.microphone = PacedAudioSource(Tone())
        let controller = await WebRTCKit.initialize(signalingServer: server, config: Config(), options: options)

        let events = controller.events
        print("signed in as \(try await controller.setupConnection())")

        try await controller.startRecording()
        if words.count > 3 {
            try await controller.sendCallRequest(to: words[3])
        }
        await follow(events, of: controller)
        try await controller.disconnect()
    }

    /// Follows one call, until its end.
    static func follow(_ events: AsyncStream<WebRTCController.Event>, of controller: WebRTCController) async {
        for await case .call(let call, let change) in events {
            switch change {
            case .began where call.direction == .incoming:
                print("\(call.peer.displayName) is calling")
                // If it fails, the call ends, which is an event too.
                try? await controller.answerCallRequest(call.id, accept: true)
            case .connected:
                print("the call runs")
                Task {
                    try await Task.sleep(for: .seconds(10))
                    if await controller.verificationStatus == .waiting {
                        print("no code: it cannot be told whether somebody is in the middle")
                    }
                    try await controller.endCall(call.id)
                }
            case .verification:
                switch call.verification {
                case .waiting: break
                case .code(let code): print("read this to each other: \(code)")
                case .failed: print("do not trust this call: somebody may be in the middle")
                }
            case .ended:
                return print("the call is over: \(call.outcome?.description ?? "")")
            default: break
            }
        }
    }
}
