/// The time before the next attempt: doubled each time, and multiplied by a random factor.
struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var tries = 0

    init(first: Duration = .milliseconds(500), longest: Duration = .seconds(30)) {
        self.first = first
        self.longest = longest
    }

    /// - Parameter floor: The minimum, as a server requested that went away.
    mutating func next(atLeast floor: Duration = .zero, using random: inout some RandomNumberGenerator) -> Duration {
        let whole = min(longest, first * (1 << min(tries, 16)))
        tries += 1
        return max(floor, whole * Double.random(in: 0.5...1, using: &random))
    }

    mutating func reset() {
        tries = 0
    }
}
