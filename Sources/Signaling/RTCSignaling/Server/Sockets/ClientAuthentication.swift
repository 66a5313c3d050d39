internal import Logging

/// Asks the authenticator about clients, off the event loop where it takes time, and logs its failures.
final class ClientAuthentication {
    typealias Result = Swift.Result<AuthenticatedUser, any Error>

    private let authenticator: CurrentAuthenticator
    private let tasks: ServerTasks
    private let logger: Logger
    /// When an error was last logged, by its type.
    private var reports: [String: Duration] = [:]

    init(_ authenticator: CurrentAuthenticator, _ tasks: ServerTasks, _ logger: Logger) {
        self.authenticator = authenticator
        self.tasks = tasks
        self.logger = logger
    }

    func replace(by authenticator: any Authenticator) {
        self.authenticator.replace(by: authenticator)
    }

    /// - Parameter then: Called on the event loop, at once if the authenticator never suspends.
    func authenticate(_ hello: Hello, then: @escaping @Sendable (Result) -> Void) {
        let authenticator = authenticator.value
        if let immediate = authenticator as? any ImmediateAuthenticator {
            return then(Result { try immediate.authenticateNow(hello) })
        }
        tasks.run(for: .client) { () -> Result in
            do { return .success(try await authenticator.authenticate(hello)) } catch { return .failure(error) }
        } then: { result in
            then(result)
        }
    }

    /// Logs that the authenticator failed, once a minute for each type of error, since any client can cause it.
    ///
    /// The text of an app's error may contain the token: only level `debug` has it.
    func report(_ error: any Error, at now: Duration) {
        let type = "\(type(of: error))"
        logger.debug("the authenticator failed", metadata: ["error": "\(error)"])
        if let last = reports[type], now - last < .seconds(60) { return }
        reports[type] = now
        let cause = (error as? AuthenticationUnavailable)?.message ?? type
        logger.error("the authenticator failed", metadata: ["cause": "\(cause)"])
    }
}
