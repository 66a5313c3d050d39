/// Whether the client runs, and the task that waits for its first sign-in.
struct ClientLifecycle {
    typealias Waiting = CheckedContinuation<Result<Welcome, SignalingClientError>, Never>

    private enum Phase {
        case idle
        /// `connect` was called, and will begin.
        case beginning
        case running(Task<Void, Never>)
        case ended
    }

    private var phase = Phase.idle
    private var waiting: Waiting?

    var isBeginning: Bool {
        if case .beginning = phase { true } else { false }
    }

    var isRunning: Bool {
        if case .running = phase { true } else { false }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// - Returns: Whether this is the first time.
    mutating func begin() -> Bool {
        guard case .idle = phase else { return false }
        phase = .beginning
        return true
    }

    mutating func run(_ task: Task<Void, Never>, waiting: Waiting) {
        phase = .running(task)
        self.waiting = waiting
    }

    /// - Returns: The task that ran until now, to be cancelled.
    @discardableResult
    mutating func end() -> Task<Void, Never>? {
        defer { phase = .ended }
        if case .running(let task) = phase { return task }
        return nil
    }

    /// - Returns: The task to resume, once.
    mutating func takeWaiting() -> Waiting? {
        defer { waiting = nil }
        return waiting
    }
}
