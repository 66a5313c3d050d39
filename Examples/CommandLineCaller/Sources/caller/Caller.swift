import Foundation
import WebRTCKit

/// Calls a peer, or waits for calls, with a test picture and a tone.
@main
struct Caller {
    static func main() async {
        do {
            try await run(Arguments(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: Arguments) async throws {
        let signalingServer = try DuetSignaling(url: arguments.server, user: arguments.user)
        var options = WebRTCKit.Options()
        options.sources.microphone = PacedAudioSource(Tone())
        options.sources.camera = PacedVideoSource(TestPattern(width: 640, height: 360), framesPerSecond: 30)
        let controller = await WebRTCKit.initialize(
            signalingServer: signalingServer, config: Config(), options: options)

        let reporter = Reporter()
        await controller.setCallManagerDelegate(reporter)
        print("signed in as \(try await controller.setupConnection())")
        try await controller.startRecording()
        try await controller.startVideoRecording()
        if let peer = arguments.peer {
            print("calling \(peer)")
            try await controller.sendCallRequest(to: peer)
        }

        // Tasks of the current call, which are cancelled at its end.
        var later: [Task<Void, any Error>] = []
        for await event in reporter.events {
            print(event)
            switch event {
            case .incoming:
                do {
                    try await controller.answerCallRequest(accept: true)
                } catch CallManagerError.invalidStateChange {
                    // The caller gave up at this moment: the end of the call is the next event.
                }
            case .started:
                later = [
                    Task {
                        try await Task.sleep(for: .seconds(10))
                        let status = await controller.verificationStatus
                        if status == .waiting { print(CallEvent.verification(status)) }
                    },
                    Task {
                        try await Task.sleep(for: .seconds(arguments.seconds))
                        try await controller.endCall()
                    },
                ]
            case .ended(let error):
                for task in later { task.cancel() }
                guard arguments.peer != nil else { continue }  // Waits for the next call.
                try await controller.disconnect()
                if let error { throw error }
                return
            case .ringing, .lost, .restored, .verification, .remoteVideo, .picture, .sound:
                break
            }
        }
    }
}
