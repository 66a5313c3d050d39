import WebRTCKit

// Events of the connection to the server.
extension CallSession {
    func handle(_ server: SignalingServerState) async {
        switch server {
        case .connected: connected()
        case .disconnected(let reason?) where hasBeenWelcomed:
            let rest = call?.call.isAnswered == true ? "; the call goes on" : ""
            reporter.show(.server(isThere: false, "The server is gone: \(reason)\(rest)."))
        case .disconnected: break
        case .stopping: reporter.show(.note("The server is being stopped; calls go on."))
        case .lost(let reason): await lostServer(reason)
        }
    }

    private func connected() {
        guard !hasBeenWelcomed else { return reporter.show(.server(isThere: true, "The server is back.")) }
        hasBeenWelcomed = true
        reporter.show(.signedIn(signaling.address ?? ""))
        if case .answer = settings.role { reporter.show(.waiting) }
    }

    private func lostServer(_ reason: String) async {
        let goesOn = call?.call.isAnswered == true
        let rest = goesOn ? "; the call goes on without it" : ""
        let text = "The server is gone for good: \(reason)\(rest)."
        reporter.show(.server(isThere: false, text))
        guard !goesOn else { return await sinks.status(text) }
        hasLostServer = true
        Refusal.say(text)
        // The kit ends a call that was not answered.
        if call == nil { status = CallStatus.server }
    }
}
