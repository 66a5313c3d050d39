internal import Tracing

/// The spans of sessions, and of calls from the invitation to the answer.
///
/// Without a tracer it does nothing. The spans have no names of users, no tokens, and no addresses. They are for those who look for
/// time, and not exact about what a malicious client claims: whoever knows a call's identifier can end its span.
final class ServerTraces {
    private let tracer: any Tracer
    private let isEnabled: Bool
    private var calls: [CallID: CallSetUp] = [:]

    private struct CallSetUp {
        let span: any Span
        let start: Duration
    }

    /// The maximum number of calls that are traced at the same time.
    private static let mostCalls = 10_000
    /// The time after which a call without an answer is no longer traced: longer than a call rings.
    private static let longestSetUp = Duration.seconds(180)

    init(_ tracer: (any Tracer)?) {
        let tracer = tracer ?? InstrumentationSystem.tracer
        self.tracer = tracer
        isEnabled = !(tracer is NoOpTracer)
    }

    func sessionBegan(_ socket: ServerSocket, resumes: Bool) {
        guard isEnabled, socket.span == nil else { return }
        let span: any Span = tracer.startSpan("session", context: .topLevel, ofKind: .server)
        span.attributes["duet.session.resumes"] = resumes
        socket.span = span
    }

    func sessionEnded(_ socket: ServerSocket) {
        guard let span = socket.span else { return }
        socket.span = nil
        span.attributes["duet.session.end"] = socket.closeReason ?? "disconnected"
        span.end()
    }

    /// Follows a message of a client that is signed in.
    func received(_ message: ClientMessage, on socket: ServerSocket, at now: Duration) {
        guard isEnabled else { return }
        switch message {
        case .invite(let invite):
            guard calls[invite.call] == nil, calls.count < Self.mostCalls else { return }
            let parent = socket.span?.context ?? .topLevel
            let span: any Span = tracer.startSpan("call set-up", context: parent, ofKind: .server)
            calls[invite.call] = CallSetUp(span: span, start: now)
        case .ringing(let reference): calls[reference.call]?.span.addEvent("ringing")
        case .answer(let answer): end(answer.call, "answered")
        case .reject(let reject): end(reject.call, "rejected")
        case .busy(let reference): end(reference.call, "busy")
        case .cancel(let cancel): end(cancel.call, "cancelled")
        case .hangup(let hangUp): end(hangUp.call, "hungUp")
        default: return
        }
    }

    /// Ends the spans of calls that nobody has answered.
    func sweep(at now: Duration) {
        guard isEnabled else { return }
        for (call, setUp) in calls where now - setUp.start >= Self.longestSetUp { end(call, "unanswered") }
    }

    private func end(_ call: CallID, _ outcome: String) {
        guard let setUp = calls.removeValue(forKey: call) else { return }
        setUp.span.attributes["duet.call.outcome"] = outcome
        setUp.span.end()
    }
}
