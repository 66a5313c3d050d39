#if os(Linux)
    import CGTK
    import Dispatch

    /// The main loop of a program that opens windows: it combines GTK's main loop with Swift's main actor.
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
    @MainActor
    public enum MainLoop {
        /// Whether ``run(_:)`` is running.
        public private(set) static var isRunning = false
        private static var gtk: GTKLibrary?

        /// The priority of GTK's own drawing (GDK_PRIORITY_REDRAW): after input, alternating with drawing.
        private static let priority: Int32 = 120
        /// G_IO_IN
        private static let readable: UInt32 = 1

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
            guard cgtk_is_main_thread() != 0 else {
                throw ViewError(.wrongThread, "the main loop runs on the first thread of a program, and nowhere else")
            }
            guard !isRunning else { throw ViewError(.wrongThread, "the main loop runs already") }
            isRunning = true
            defer { isRunning = false }
            let outcome = Outcome<Value>()
            Task { @MainActor in
                do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
            }
            while true {
                if let result = outcome.result { return try result.get() }
                if let gtk {
                    _ = gtk.functions.pointee.g_main_context_iteration(nil, 1)
                } else {
                    cgtk_main_queue_wait()
                    cgtk_main_queue_drain()
                }
            }
        }

        /// Switches to GLib's main loop, with GTK and a display, for other targets' widgets; later calls do nothing.
        ///
        /// - Throws: ``ViewError`` when GTK is missing, there is no screen, or the loop does not run.
        package static func openDisplay() throws(ViewError) { _ = try open() }

        /// Loads GTK, connects to the display, and switches to GLib's main loop, unless that is already done.
        static func open() throws(ViewError) -> GTKLibrary {
            if let gtk { return gtk }
            guard isRunning else {
                throw ViewError(.noMainLoop, "a window needs MainLoop.run, within which the program has to be")
            }
            let library = try GTKLibrary.shared.get()
            try library.open()
            _ = library.functions.pointee.g_unix_fd_add_full(
                priority, cgtk_main_queue_descriptor(), readable,
                { _, _, _ in
                    cgtk_main_queue_drain()
                    return 1
                }, nil, nil)
            gtk = library
            return library
        }
    }
#endif
