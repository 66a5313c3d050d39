import DuetShell

/// A login that a signal cancels.
enum LoginRun {
    static func untilInterrupted<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        let interruption = Interruption()
        let work = Task { try await body() }
        let watch = Task {
            for await _ in interruption.signals { work.cancel() }
        }
        defer { watch.cancel() }
        return try await work.value
    }
}
