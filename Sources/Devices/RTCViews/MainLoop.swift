/// The main loop of a program that opens windows, or of a command-line program: it serves the main actor.
///
/// On Linux, the main actor of a Swift program with an asynchronous `main` runs on changing threads, but GTK has to
/// run on one thread. So start a program with windows here, on its first thread:
///
/// ```swift
/// @main enum Program {
///     @MainActor static func main() throws {
///         try MainLoop.run {
///             let window = try VideoCallWindow(title: "Bob")
///             …
///         }
///     }
/// }
/// ```
///
/// While it runs, the main actor and `DispatchQueue.main` run on that thread, which sleeps until there is something
/// to do. Until the first window is opened, it serves the main queue alone, and GTK is not loaded; afterwards it is
/// GLib's main loop, with the main queue as an event source of the same priority as drawing.
///
/// On Apple's platforms it is CoreFoundation's run loop, which serves the main actor by itself. An app has a run loop
/// already, and does not need this.
@MainActor
public enum MainLoop {
    /// Whether ``run(_:)`` is running.
    package private(set) static var isRunning = false

    private final class Outcome<Value: Sendable> {
        var result: Result<Value, any Error>?
    }

    /// Runs `body` on the main actor, and the main loop until it returns.
    ///
    /// Call it on the first thread of the program, before the first `await`.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``ViewError`` `wrongThread`.
    public static func run<Value: Sendable>(_ body: @escaping @MainActor () async throws -> Value) throws -> Value {
        try checkThread()
        guard !isRunning else { throw ViewError(.wrongThread, "the main loop runs already") }
        isRunning = true
        defer { isRunning = false }
        let outcome = Outcome<Value>()
        Task { @MainActor in
            do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
        }
        while true {
            if let result = outcome.result { return try result.get() }
            iterate()
        }
    }
}
