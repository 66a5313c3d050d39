internal import Logging
internal import Synchronization

/// Logs failures of a service, each kind once a minute: while it is down, every call causes one. A service that fails in ever new ways
/// gets 16 lines a minute.
final class FailureLog: Sendable {
    private let logger: Logger
    private let times = Mutex<[String: ContinuousClock.Instant]>([:])

    private static let interval: Duration = .seconds(60)
    static let most = 16

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter message: Contains no secret, no token and nothing of a call.
    func report(_ message: String, level: Logger.Level = .error, at now: ContinuousClock.Instant = .now) {
        let isDue = times.withLock { times in
            if let last = times[message], now - last < Self.interval { return false }
            if times.count >= Self.most { times = times.filter { now - $0.value < Self.interval } }
            guard times.count < Self.most else { return false }
            times[message] = now
            return true
        }
        if isDue { logger.log(level: level, "\(message)") }
    }
}
