import DuetShell
import Logging
import RTCSignaling

/// Reads the files of a running server again at SIGHUP.
struct ServerReload: Sendable {
    let server: SignalingServer
    let auth: AuthenticationOption
    let log: AccessLogFile?
    let pushes: PushSenders?

    /// Also for a signal that has arrived before.
    func run(on hangUps: HangUps) {
        Task { for await _ in hangUps.signals { await run() } }
    }

    private func run() async {
        let logger = Logger(label: "duet.serve")
        do {
            try log?.reopen()
        } catch {
            logger.error("the access log stays where it is: \(error)")
        }
        do {
            try pushes?.reload()
        } catch {
            logger.error("the files of pushes stay as they were: \(error)")
        }
        do {
            let authenticator = try auth.file.map { _ in try auth.makeAuthenticator() }
            try await server.reload(authenticator: authenticator)
            logger.notice("read the certificate and the file of --auth again")
        } catch {
            logger.error("the certificate and the file of --auth stay as they were: \(error)")
        }
    }
}
