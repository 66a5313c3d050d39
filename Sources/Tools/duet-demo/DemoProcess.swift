import DuetShell
import Foundation

/// The parent's handle for one of the demo's processes: this program again.
final class DemoProcess: Sendable {
    enum Output: Sendable {
        case line([UInt8])
        case exited(Int32)
    }

    private let process: Process
    private let input = Pipe()
    private let writer: LineWriter

    /// - Parameter handle: Called on other threads, for each line and at the end.
    init(_ work: DemoWork, handle: @escaping @Sendable (Output) -> Void) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = try work.arguments
        process.standardInput = input
        process.standardOutput = output
        process.terminationHandler = { handle(.exited($0.terminationStatus)) }
        try process.run()
        self.process = process
        writer = LineWriter(input.fileHandleForWriting.fileDescriptor)
        LineReader.start(output.fileHandleForReading.fileDescriptor) { element in
            // Keeps the pipe open while it is read.
            withExtendedLifetime(output) {
                if case .line(let line) = element { handle(.line(line)) }
            }
        }
    }

    func write(_ line: [UInt8]) {
        writer.write(bytes: line + [0x0A])
    }

    /// Hangs up, or closes the connection, and ends.
    func close() {
        writer.write(.object(["command": "close"]))
    }

    func kill() {
        if process.isRunning { process.terminate() }
    }
}
