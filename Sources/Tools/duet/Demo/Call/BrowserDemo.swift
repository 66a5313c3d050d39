import Foundation
import RTCSignaling

/// Serves the call page until it is stopped, with a callee that answers: for a person with a browser.
struct BrowserDemo {
    private enum Event: Sendable {
        case output(CallDemoProcess.Output)
        case interrupted
    }

    let clips: DemoClips
    let size: PictureSize
    let logLevel: LogLevel

    func run(_ server: SignalingServer, _ interruption: Interruption) async -> Int32 {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let listening = Task { for await _ in interruption.signals { continuation.yield(.interrupted) } }
        defer { listening.cancel() }
        for note in clips.notes { say(note) }
        let process: CallDemoProcess
        do {
            let arguments = ["answer", "--as", "duet", "--name", "Duet", "--stay", "--json", "--server", server.url]
            process = try CallDemoProcess(
                arguments: arguments + ["--log", logLevel.rawValue] + clips.options(side: 0, size: size)
            ) { continuation.yield(.output($0)) }
        } catch {
            say("The answering process cannot be started: \(error.localizedDescription)")
            return 1
        }
        defer { process.kill() }
        for await event in events {
            switch event {
            case .output(.event(let event)): tell(event, server)
            case .output(.exited(let status)):
                say("The answering process ended with status \(status).")
                return 1
            case .interrupted:
                process.close()
                await server.stop(grace: .milliseconds(500))
                return 0
            }
        }
        return 1
    }

    private func tell(_ event: CallDemoEvent, _ server: SignalingServer) {
        switch event.event {
        case "signedIn":
            say("Open \(server.pageURL)?name=you&call=duet&auto=call to call Duet.")
            say("It sends \(clips.description(side: 0)).")
            say("Or open \(server.pageURL) twice, and call yourself. Press Ctrl-C to end.")
        case "incoming": say("  \(event.from ?? "Somebody") calls.")
        case "chat": say("  \(event.from ?? "Somebody") writes: \(event.text ?? "")")
        case "ended", "error", "note": say("  \(event.message ?? "")")
        default: break
        }
    }

    private func say(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }
}
