/// The wait for the next attempt to connect, and the attempt that is under way. When the network returns, the wait is cut short,
/// and the attempt is stopped for a new one.
struct ReconnectionWait {
    enum Step {
        /// A part of the wait.
        case sleep(Task<Void, Never>)
        /// The wait is over. `isEarly` says whether because the network has returned.
        case connect(isEarly: Bool)
    }

    private var isNetworkAvailable = true
    /// Whether the network has returned: the next attempt does not wait.
    private var skipsBackoff = false
    /// A part of the wait between two attempts.
    private(set) var sleep: Task<Void, Never>?
    /// The attempt that is under way.
    private(set) var attempt: Task<ClientSocket, any Error>?

    /// - Parameters:
    ///   - elapsed: The time since the wait began.
    ///   - delay: The length of the wait.
    ///   - floor: The minimum, also if the network has returned.
    mutating func next(after elapsed: Duration, delay: Duration, atLeast floor: Duration) -> Step {
        let rest = (skipsBackoff ? floor : delay) - elapsed
        if isNetworkAvailable, rest <= .zero {
            defer { skipsBackoff = false }
            return .connect(isEarly: skipsBackoff)
        }
        let length = min(.seconds(1), rest > .zero ? max(.milliseconds(1), rest) : .seconds(1))
        let sleep = Task { _ = try? await Task.sleep(for: length) }
        self.sleep = sleep
        return .sleep(sleep)
    }

    mutating func networkChanged(isAvailable: Bool) {
        isNetworkAvailable = isAvailable
    }

    mutating func skipBackoff() {
        skipsBackoff = true
    }

    mutating func begins(_ attempt: Task<ClientSocket, any Error>) {
        self.attempt = attempt
    }

    mutating func attemptEnds() {
        attempt = nil
    }
}
