import Foundation

/// A screen that nobody sees, and programs that open windows on it.
final class VirtualScreen {
    let display: String
    private let server: Process

    struct Failed: Error { let reason: String }

    init() throws {
        server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let pipe = Pipe()
        // The server picks a number that is free, and says which when it is ready.
        server.arguments = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
        server.standardOutput = pipe
        server.standardError = FileHandle.nullDevice
        server.standardInput = FileHandle.nullDevice
        try server.run()
        let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Failed(reason: "Xvfb did not start")
        }
        display = ":\(number)"
    }

    deinit {
        server.terminate()
        server.waitUntilExit()
    }

    /// What keys a person presses, one after the other, and where the mouse goes, as xdotool says it.
    func xdotool(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdotool"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(reason: "xdotool \(arguments) failed") }
    }
}

/// The program WindowProbe, which is built beside the tests, while it runs.
final class Probe: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let lock = NSLock()
    private var text = ""

    /// - Parameter environment: What differs from our own; an empty text takes a variable away.
    init(_ arguments: [String], environment: [String: String]) throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("WindowProbe")
        process.executableURL = program
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment
        for name in ["DISPLAY", "WAYLAND_DISPLAY"] { all[name] = nil }
        for (name, value) in environment { all[name] = value.isEmpty ? nil : value }
        // There is no bus for what reads the screen aloud.
        all["GTK_A11Y"] = "none"
        process.environment = all
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            guard let self else { return }
            lock.withLock { self.text += String(decoding: data, as: UTF8.self) }
        }
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    var lines: [String] { lock.withLock { text.split(separator: "\n").map(String.init) } }

    /// Waits for a line that begins so, for 20 seconds at most.
    func line(_ beginning: String) async throws -> String? {
        for _ in 0..<4_000 {
            if let line = lines.first(where: { $0.hasPrefix(beginning) }) { return line }
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    /// Waits for its end.
    func status() async throws -> Int32? {
        for _ in 0..<4_000 {
            if !process.isRunning { return process.terminationStatus }
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }
}
