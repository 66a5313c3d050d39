internal import Logging
internal import Synchronization

/// Logs failures of a service, each kind once a minute: while it is down, every call causes one.
final class FailureLog: Sendable {
    private let logger: Logger
    private let times = Mutex<[String: ContinuousClock.Instant]>([:])

    private static let interval: Duration = .seconds(60)
    /// More kinds than there are.
    private static let most = 64

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter message: Contains no secret, no token and nothing of a call.
    func report(_ message: String, level: Logger.Level = .error) {
        let now = ContinuousClock.now
        let isDue = times.withLock { times in
            if let last = times[message], now - last < Self.interval { return false }
            if times.count >= Self.most { times = [:] }
            times[message] = now
            return true
        }
        if isDue { logger.log(level: level, "\(message)") }
    }
}
