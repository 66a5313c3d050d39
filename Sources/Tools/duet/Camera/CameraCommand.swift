import ArgumentParser
import DuetShell
import Foundation
import RTCDevices
import RTCFrames
import RTCMediaFiles

/// `duet camera`
struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract: "Show a camera, take a photo, or record a video.",
        discussion: """
            Without --camera, the one that a call would begin with: the last one that was chosen for calls, or the front camera.

            Examples:
              duet camera preview
              duet camera photo desk.jpg --camera "Desk" --size 1920x1080
              duet camera record desk.webm --seconds 10

            The exit status is 0, 1 if the camera failed or was unplugged, 2 if an option cannot be satisfied or the camera may \
            not be used; a line on standard error says what to do.
            """,
        subcommands: [CameraPreviewCommand.self, CameraPhotoCommand.self, CameraRecordCommand.self])
}

/// The camera, and how to open it.
struct CameraOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The camera, by its identifier or name.", valueName: "id"))
    var camera: String?

    @Option(help: ArgumentHelp("The frame size; the camera's nearest format is used.", valueName: "WIDTHxHEIGHT"))
    var size = "1280x720"

    @Option(help: ArgumentHelp("Frames per second.", valueName: "n"))
    var rate = 30.0

    func validate() throws {
        _ = try request()
    }

    func request() throws -> CaptureRequest {
        let numbers = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let width = numbers[0], let height = numbers[1],
            (16...16_384).contains(width), (16...16_384).contains(height), (1...240).contains(rate)
        else { throw ValidationError("--size is WIDTHxHEIGHT, such as 1280x720, and --rate is 1 to 240") }
        return CaptureRequest(width: width, height: height, frameRate: rate)
    }
}

/// `duet camera preview`
struct CameraPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show a camera in a window, until it is closed.")

    @OptionGroup var options: CameraOptions

    @Flag(inversion: .prefixedNo, help: "Mirror the preview. By default, unless the camera faces away from you.")
    var mirror: Bool?

    func run() async throws {
        try await CameraRun.run(options) { camera, session in
            let isMirrored = mirror ?? camera.isPreviewMirroredByDefault
            let window = try await CameraWindow.open(title: camera.name, isMirrored: isMirrored) { session.end() }
            session.start(delivering: window.sink)
            let failure = await session.wait(atMost: nil)
            await window.close()
            return failure
        }
    }
}

/// `duet camera photo`
struct CameraPhotoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo", abstract: "Take a photo, as a JPEG file.",
        discussion: "The orientation is stored in the file (Exif); viewers rotate the photo.")

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var path: String

    @OptionGroup var options: CameraOptions

    @Option(
        help: ArgumentHelp("Frames to skip first, while the camera adapts to the light.", valueName: "n"))
    var skip = 5

    func validate() throws {
        guard (0...1_000).contains(skip) else { throw ValidationError("--skip is 0 to 1000") }
    }

    func run() async throws {
        try await CameraRun.run(options) { _, session in
            let encoder = try PhotoEncoder()
            let picker = FramePicker(skip: skip) { session.end() }
            session.start(delivering: picker)
            if let failure = await session.wait(atMost: .seconds(15)) { return failure }
            guard let frame = picker.frame else { return "no picture came within 15 seconds" }
            let photo = Data(try encoder.jpeg(frame))
            do {
                try photo.write(to: URL(fileURLWithPath: path))
            } catch {
                throw DeviceError(.unwritable, "cannot write \(path): \(error.localizedDescription)")
            }
            return nil
        }
    }
}

/// `duet camera record`
struct CameraRecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record a video, as a WebM file, until Ctrl-C.")

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var path: String

    @OptionGroup var options: CameraOptions

    @Option(
        help: ArgumentHelp(
            "The microphone, by its identifier or name; “none” for a video without audio.", valueName: "id"))
    var microphone: String?

    @Option(help: ArgumentHelp("The duration, from the first frame on.", valueName: "n"))
    var seconds: Double?

    func validate() throws {
        if let seconds, !(0.1...604_800).contains(seconds) {
            throw ValidationError("--seconds is 0.1 to 604800")
        }
    }

    func run() async throws {
        try await CameraRun.run(options) { camera, session in
            let microphone = try await session.openMicrophone(microphone, beside: camera)
            let recorder = try MediaRecorder(path: path, hasAudio: microphone != nil)
            session.start(delivering: recorder)
            microphone?.start(delivering: recorder)
            let failure = await session.wait(atMost: seconds.map { .seconds($0) }, fromFirstPicture: true)
            await microphone?.close()
            try await recorder.finish()
            return failure
        }
    }
}
