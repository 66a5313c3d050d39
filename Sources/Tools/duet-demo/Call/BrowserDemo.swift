import DuetShell
import Foundation
import RTCSignaling

/// Serves the call page until it is stopped, with a callee that answers: for a person with a browser.
struct BrowserDemo {
    private enum Event: Sendable {
        case output(DemoProcess.Output)
        case interrupted
    }

    let clips: DemoClips
    let size: PictureSize
    let log: LogLevel

    func run(_ server: SignalingServer, _ interruption: Interruption) async -> Int32 {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let listening = Task { for await _ in interruption.signals { continuation.yield(.interrupted) } }
        defer { listening.cancel() }
        for note in clips.notes { say(note) }
        let media = clips.media(side: 0)
        var work = CallDemoWork(
            user: "duet", name: "Duet", server: server.url, video: media.video, audio: media.audio, size: size, log: log
        )
        work.stays = true
        let process: DemoProcess
        do {
            process = try DemoProcess(.call(work)) { continuation.yield(.output($0)) }
        } catch {
            say("The answering process cannot be started: \(error.localizedDescription)")
            return 1
        }
        defer { process.kill() }
        for await event in events {
            switch event {
            case .output(.line(let line)):
                if let event = CallDemoEvent(line: line) { tell(event, server) }
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
