#if canImport(Darwin)
    import CoreFoundation

    /// The main loop of a command-line program. On Apple's platforms it is CoreFoundation's run loop, which serves the
    /// main actor by itself. An app has a run loop already, and does not need this.
    @MainActor
    public enum MainLoop {
        /// Whether ``run(_:)`` is running.
        public private(set) static var isRunning = false

        private final class Outcome<Value: Sendable> {
            var result: Result<Value, any Error>?
        }

        /// Runs `body` on the main actor, and the main loop until it returns.
        ///
        /// - Returns: The result of `body`.
        /// - Throws: The error of `body`, or ``ViewError`` `wrongThread`.
        public static func run<Value: Sendable>(_ body: @escaping @MainActor () async throws -> Value) throws -> Value {
            guard !isRunning else { throw ViewError(.wrongThread, "the main loop runs already") }
            isRunning = true
            defer { isRunning = false }
            let outcome = Outcome<Value>()
            Task { @MainActor in
                do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
            }
            while true {
                if let result = outcome.result { return try result.get() }
                _ = CFRunLoopRunInMode(.defaultMode, 3_600, true)
            }
        }
    }
#endif
