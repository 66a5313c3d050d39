import DuetShell
import Foundation
import RTCSignaling

/// `duet-demo`, `duet-demo call`: a call with a media file and recorded speech, and its quality.
struct CallDemoOptions: Sendable, Equatable {
    /// Whether to leave the page up, with somebody there to call.
    var isForBrowser = false
    /// In seconds.
    var duration = 10.0
    /// The files that are sent; `nil` for those of packages.
    var film: String?
    var speech: String?
    var codecs: [String] = []
    var recording: String?
    /// The size that the film has to fit into; `nil` for what this machine can do.
    var size: PictureSize?
    /// Whether to show a window, where there is a screen.
    var showsWindow = true
    var log = LogLevel.warning

    init(_ arguments: inout ArgumentReader) throws(Refusal) {
        while let argument = try arguments.next() {
            switch argument {
            case "--browser": isForBrowser = true
            case "--duration":
                guard let seconds = Double(try arguments.value()), (2...3_600).contains(seconds) else {
                    throw Refusal("--duration is 2 to 3600 seconds")
                }
                duration = seconds
            case "--film": film = try arguments.value()
            case "--speech": speech = try arguments.value()
            case "--codec": codecs.append(try arguments.value())
            case "--record": recording = try arguments.value()
            case "--size": size = try PictureSize.parse(try arguments.value())
            case "--window": showsWindow = true
            case "--no-window": showsWindow = false
            case "--log": log = try arguments.logLevel()
            default: throw ArgumentReader.unknown(argument)
            }
        }
    }
}

extension CallDemoOptions {
    /// - Returns: The exit status.
    func run() async throws(Refusal) -> Int32 {
        log.bootstrap()
        let interruption = Interruption()
        if !codecs.isEmpty { _ = try CodecOption.choose(codecs) }
        let clips = try DemoClips(film: film, speech: speech)
        let server = try await startServer()
        if isForBrowser {
            return await BrowserDemo(clips: clips, size: pictureSize, log: log).run(server, interruption)
        }
        return await call(clips, server, interruption)
    }

    /// Uses the default port for a browser, or another one if that is taken.
    private func startServer() async throws(Refusal) -> SignalingServer {
        var configuration = SignalingServer.Configuration()
        configuration.page = .call
        if isForBrowser { configuration.port = 8080 }
        if let server = try? await SignalingServer.start(configuration) { return server }
        configuration.port = 0
        do {
            return try await SignalingServer.start(configuration)
        } catch {
            throw Refusal(error.message)
        }
    }

    /// Two videos are decoded, encoded and decoded again, and one is recorded: 1280 × 720 takes about three cores.
    private var pictureSize: PictureSize {
        if let size { return size }
        return ProcessInfo.processInfo.activeProcessorCount >= 4
            ? PictureSize(width: 1_280, height: 720) : PictureSize(width: 640, height: 360)
    }

    /// The checkout's build folder, or else a name in the temporary folder that nobody has taken: what stands there may be
    /// another person's.
    private static func recordingPlace(or temporary: URL, _ number: String) -> String {
        FileManager.default.isWritableFile(atPath: ".build")
            ? ".build/duet-demo.webm" : temporary.appendingPathComponent("duet-demo-\(number).webm").path
    }

    private func call(_ clips: DemoClips, _ server: SignalingServer, _ interruption: Interruption) async -> Int32 {
        let temporary = FileManager.default.temporaryDirectory
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let folder = temporary.appendingPathComponent("duet-demo-\(number)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ProcessInfo.processInfo.environment
        let hasScreen = !(environment["DISPLAY"] ?? "").isEmpty || !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty
        let options = CallDemoRun.Options(
            clips: clips, duration: duration,
            recording: recording ?? Self.recordingPlace(or: temporary, number),
            showsWindow: showsWindow && hasScreen, codecs: codecs, size: pictureSize, log: log)
        var run = CallDemoRun(options, folder: folder)
        let status = await run.run(server, interruption)
        await server.stop(grace: .milliseconds(200))
        return status
    }
}
