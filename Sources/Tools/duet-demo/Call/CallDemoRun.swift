import DuetShell
import Foundation
import RTCSignaling

/// One run of the demo: a server in this process, two other processes that call each other through it, and a comparison of the
/// media.
struct CallDemoRun {
    private enum Event: Sendable {
        /// Of the caller (0) or the callee (1).
        case output(Int, DemoProcess.Output)
        case tick
        case interrupted
    }

    struct Options: Sendable {
        var clips: DemoClips
        /// In seconds.
        var duration: Double
        var recording: String
        var showsWindow: Bool
        var codecs: [String]
        var size: PictureSize
        var log: LogLevel
    }

    /// The time limit beyond the duration of the call.
    private static let patience = Duration.seconds(30)

    private let options: Options
    private let folder: URL
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private var sides = [CallDemoSide(name: "Alice"), CallDemoSide(name: "Bob")]
    private var processes: [DemoProcess] = []
    private var lastSecond = 0
    private var connectedAt: ContinuousClock.Instant?

    init(_ options: Options, folder: URL) {
        self.options = options
        self.folder = folder
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    /// - Returns: The exit status: 0 if both received video and audio, 130 after an interruption, otherwise 1.
    mutating func run(_ server: SignalingServer, _ interruption: Interruption) async -> Int32 {
        say("Alice calls Bob: two processes, through a server at \(server.url).")
        for note in options.clips.notes { say(note) }
        say("  Alice sends   \(options.clips.description(side: 0))")
        say("  Bob sends     \(options.clips.description(side: 1))")
        let ticking = Task { [continuation] in
            while (try? await Task.sleep(for: .milliseconds(200))) != nil { continuation.yield(.tick) }
        }
        let listening = Task { [continuation] in
            for await _ in interruption.signals { continuation.yield(.interrupted) }
        }
        defer {
            ticking.cancel()
            listening.cancel()
            processes.forEach { $0.kill() }
        }
        do {
            try start(1, server)
            if let status = await follow(until: { $0.bobWaits }) { return status }
            try start(0, server)
        } catch {
            say("The two processes cannot be started: \(error.localizedDescription)")
            return 1
        }
        if let status = await follow(until: { $0.sides.allSatisfy { $0.exitStatus != nil } }) { return status }
        return judge()
    }

    private var bobWaits = false

    /// Starts a side: Bob waits for the call, Alice calls.
    private mutating func start(_ side: Int, _ server: SignalingServer) throws {
        let name = sides[side].name
        let place = folder.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let media = options.clips.media(side: side)
        var work = CallDemoWork(
            user: name.lowercased(), name: name, server: server.url, video: media.video, audio: media.audio,
            size: options.size, log: options.log)
        work.codecs = options.codecs
        work.folder = place
        if side == 0 {
            work.peer = "bob"
            work.duration = options.duration
            work.chat = ["Hello, Bob!"]
            work.recording = options.recording
            work.showsWindow = options.showsWindow
        }
        processes.append(
            try DemoProcess(.call(work)) { [continuation] in continuation.yield(.output(side, $0)) })
    }

    /// Shows the progress.
    ///
    /// - Returns: The exit status if the demo cannot continue, `nil` when `isDone` has become true.
    private mutating func follow(until isDone: (Self) -> Bool) async -> Int32? {
        let deadline = ContinuousClock.now + .seconds(options.duration) + Self.patience
        for await event in events {
            switch event {
            case .output(let side, .line(let line)):
                if let event = CallDemoEvent(line: line) { take(event, of: side) }
            case .output(let side, .exited(let status)):
                sides[side].exitStatus = status
                guard status == 0 else {
                    say("The demo ended early: \(sides[side].name)'s process ended with status \(status).")
                    return 1
                }
            case .tick:
                showProgress()
                guard ContinuousClock.now < deadline else {
                    say("The demo ended early: the call does not end.")
                    return 1
                }
            case .interrupted:
                processes.forEach { $0.close() }
                say("Interrupted.")
                return Demo.interruptedStatus
            }
            if isDone(self) { return nil }
        }
        return 1
    }

    private mutating func take(_ event: CallDemoEvent, of side: Int) {
        let name = sides[side].name
        if let text = sides[side].take(event) { say("  \(name): \(text)") }
        switch event.event {
        case "waiting": bobWaits = bobWaits || side == 1
        case "ringing": say("  It rings.")
        case "answered": say("  Bob answers.")
        case "chat": say("  \(name) reads: \(event.text ?? "")")
        case "connectionState" where event.value == "connected" && side == 0:
            connectedAt = .now
            say("  Connected after \(Self.milliseconds(event.ms)).")
        case "movingPicture": say("  \(name) sees a picture that moves, after \(Self.milliseconds(setUp(side))).")
        default: break
        }
    }

    /// Milliseconds from Alice's request to call to the second frame at this side.
    private func setUp(_ side: Int) -> Double? {
        guard let start = sides[0].calledAt, let end = sides[side].movingAt else { return nil }
        return end - start
    }

    private mutating func showProgress() {
        guard let connectedAt, sides[0].summary == nil else { return }
        let second = Int(connectedAt.duration(to: .now) / .seconds(1))
        guard second > lastSecond else { return }
        lastSecond = second
        say("  \(CallTable.time(Double(second)))   Bob sees \(sides[1].sight)   Alice sees \(sides[0].sight)")
    }

    // MARK: Evaluation

    private func judge() -> Int32 {
        say("Comparing what arrived with what was sent…")
        let paths = sides.map { folder.appendingPathComponent($0.name).path }
        // Bob received what Alice sent.
        let qualities = [
            RecordedQuality.compare(sent: paths[1], received: paths[0]),
            RecordedQuality.compare(sent: paths[0], received: paths[1]),
        ]
        let report = CallDemoJudgement(
            sides: sides, qualities: qualities, setUps: [setUp(0), setUp(1)], sendsSpeech: !options.clips.speech.isEmpty
        )
        for line in report.lines { say(line) }
        if FileManager.default.fileExists(atPath: options.recording) {
            say("What Alice saw and heard is in \(options.recording)")
        }
        return report.isGood ? 0 : 1
    }

    static func milliseconds(_ value: Double?) -> String {
        value.map { String(format: "%.0f ms", $0) } ?? "an unknown time"
    }

    private func say(_ text: String) {
        // Standard output may be closed; the exit status still reports the result.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }
}
