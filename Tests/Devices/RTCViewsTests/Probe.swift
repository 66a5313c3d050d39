import Foundation

/// A program that runs beside the tests. Nothing here blocks a thread: tests have few of them.
final class Child: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let lock = NSLock()
    private var text = ""

    /// - Parameter environment: What differs from our own; an empty text takes a variable away.
    init(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = program
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment
        for (name, value) in environment { all[name] = value.isEmpty ? nil : value }
        process.environment = all
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            guard let self else { return }
            lock.withLock { self.text += String(decoding: data, as: UTF8.self) }
        }
        try process.run()
    }

    deinit {
        output.fileHandleForReading.readabilityHandler = nil
        // SIGTERM may be blocked, as it is in whoever began it.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// What it has printed.
    var lines: [String] { lock.withLock { text.split(separator: "\n").map(String.init) } }

    /// Waits for a line that begins so, for a minute at most.
    func line(_ beginning: String) async throws -> String? {
        for _ in 0..<6_000 {
            if let line = lines.first(where: { $0.hasPrefix(beginning) }) { return line }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    /// Waits for its end, for a minute at most.
    func status() async throws -> Int32? {
        for _ in 0..<6_000 {
            if !process.isRunning { return process.terminationStatus }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }
}

/// A screen that nobody sees, and programs that open windows on it.
final class VirtualScreen: Sendable {
    let display: String
    private let server: Child

    struct Failed: Error { let reason: String }

    init() async throws {
        // The server picks a number that is free, and says which when it is ready.
        server = try Child(
            URL(fileURLWithPath: "/usr/bin/Xvfb"),
            ["-noreset", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"])
        guard let number = try await server.line("") else { throw Failed(reason: "Xvfb did not start") }
        display = ":\(number)"
    }

    /// What keys a person presses, one after the other, and where the mouse goes, as xdotool says it.
    func xdotool(_ arguments: [String]) async throws {
        let tool = try Child(
            URL(fileURLWithPath: "/usr/bin/xdotool"), arguments, environment: ["DISPLAY": display])
        guard try await tool.status() == 0 else { throw Failed(reason: "xdotool \(arguments) failed") }
    }
}

extension Child {
    /// The program WindowProbe, which is built beside the tests, on a screen or none.
    static func probe(_ arguments: [String], on screen: VirtualScreen? = nil, display: String = "") throws -> Child {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("WindowProbe")
        return try Child(
            program, arguments,
            environment: [
                "DISPLAY": screen?.display ?? display, "WAYLAND_DISPLAY": "",
                // There is no bus for what reads the screen aloud, and no graphics card to draw.
                "GTK_A11Y": "none", "GSK_RENDERER": "cairo",
            ])
    }
}
