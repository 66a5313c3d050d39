import Foundation
import RTCFrames
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
        options.sources.camera = PacedVideoSource(TestPicture(width: 640, height: 360), framesPerSecond: 30)
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

        for await event in reporter.events {
            print(event)
            switch event {
            case .incoming:
                try await controller.answerCallRequest(accept: true)
            case .started:
                // Does nothing if the call is over by then.
                Task {
                    try await Task.sleep(for: .seconds(arguments.seconds))
                    try await controller.endCall()
                }
            case .ended(let error):
                guard arguments.peer != nil else { continue }  // Whoever waits goes on waiting.
                try await controller.disconnect()
                if let error { throw error }
                return
            case .ringing, .lost, .restored, .code, .remoteVideo, .picture, .sound:
                break
            }
        }
    }
}
