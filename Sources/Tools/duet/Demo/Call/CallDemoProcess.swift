import Foundation

/// The parent's handle for a `duet call` or `duet answer` of the demo.
final class CallDemoProcess: Sendable {
    enum Output: Sendable {
        case event(CallDemoEvent)
        case exited(Int32)
    }

    private let process: Process
    private let input = Pipe()
    private let writer: LineWriter

    /// - Parameter handle: Called on other threads, for each event and at the end.
    init(arguments: [String], handle: @escaping @Sendable (Output) -> Void) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.terminationHandler = { handle(.exited($0.terminationStatus)) }
        try process.run()
        self.process = process
        writer = LineWriter(input.fileHandleForWriting.fileDescriptor)
        LineReader.start(output.fileHandleForReading.fileDescriptor) { element in
            // Keeps the pipe open while it is read.
            withExtendedLifetime(output) {
                if case .line(let line) = element, let event = CallDemoEvent(line: line) { handle(.event(event)) }
            }
        }
    }

    /// Hangs up and ends.
    func close() {
        writer.write(.object([.init("command", "close")]))
    }

    func kill() {
        if process.isRunning { process.terminate() }
    }
}

/// A line of `duet call --json`, with the members that the demo uses.
struct CallDemoEvent: Decodable, Sendable {
    struct Stream: Decodable, Sendable {
        var codec: String?
        var width: Int?
        var height: Int?
        var framesPerSecond: Double?
        var bitrate: Double?
    }

    var event: String
    var ms: Double?
    /// On the machine's monotonic clock, in milliseconds.
    var at: Double?
    var value: String?
    var message: String?
    var from: String?
    var text: String?
    // Of `figures`:
    var receivedVideo: Stream?
    // Of `summary`:
    var outcome: String?
    var seconds: Double?
    var connectedMs: Double?
    var framesPerSecond: Double?
    var frames: Int?
    var width: Int?
    var height: Int?
    var codec: String?
    var freezes: Int?
    var loss: Double?
    var receivedBitrate: Double?
    var roundTrip: Double?
    var route: String?
    var security: String?
    var recording: String?

    /// `nil` for a line that is no event.
    init?(line: [UInt8]) {
        guard let event = try? JSONDecoder().decode(CallDemoEvent.self, from: Data(line)) else { return nil }
        self = event
    }
}
