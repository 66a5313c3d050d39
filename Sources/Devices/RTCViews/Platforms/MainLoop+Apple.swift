#if canImport(Darwin)
    import CoreFoundation

    /// The main loop of a command-line program: on Apple's platforms that of CoreFoundation, which serves the main actor by
    /// itself. An app has one already and needs none of this.
    @MainActor
    public enum MainLoop {
        /// Whether ``run(_:)`` is under way.
        public private(set) static var isRunning = false

        private final class Outcome<Value: Sendable> {
            var result: Result<Value, any Error>?
        }

        /// Runs `body` on the main actor, and the main loop until it is done.
        ///
        /// - Returns: What `body` returns.
        /// - Throws: What `body` throws, or ``ViewError`` `wrongThread`.
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
