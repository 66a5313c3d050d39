internal import Tracing

/// The spans of sessions, of calls from the invitation to the answer, and of attempts to wake a device or to tell the app's own server.
///
/// Without a tracer it does nothing. The spans have no names of users, no tokens, and no addresses, and no client can make them a part of
/// a trace of its own: no header of a request is read for them. They are for those who look for time, and not exact about what a
/// malicious client claims: whoever knows a call's identifier can end its span.
final class ServerTraces {
    private let tracer: any Tracer
    private let isEnabled: Bool
    private var calls: [CallID: CallSetUp] = [:]
    /// The number of calls that are traced, by the connection of their caller.
    private var callsByConnection: [ConnectionID: Int] = [:]

    private struct CallSetUp {
        let span: any Span
        let start: Duration
        let connection: ConnectionID
        var hasRung = false
    }

    /// The maximum number of calls that are traced at the same time.
    private static let mostCalls = 10_000
    /// The same for those of one connection, so that nobody keeps the calls of others from being traced.
    static let mostCallsOfConnection = 50
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
        case .invite(let invite): begin(invite.call, socket, at: now)
        case .ringing(let reference):
            guard let setUp = calls[reference.call], !setUp.hasRung else { return }
            calls[reference.call]?.hasRung = true
            setUp.span.addEvent("ringing")
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

    private func begin(_ call: CallID, _ socket: ServerSocket, at now: Duration) {
        let count = callsByConnection[socket.id] ?? 0
        guard calls[call] == nil, calls.count < Self.mostCalls, count < Self.mostCallsOfConnection else { return }
        callsByConnection[socket.id] = count + 1
        let parent = socket.span?.context ?? .topLevel
        let span: any Span = tracer.startSpan("call set-up", context: parent, ofKind: .server)
        calls[call] = CallSetUp(span: span, start: now, connection: socket.id)
    }

    private func end(_ call: CallID, _ outcome: String) {
        guard let setUp = calls.removeValue(forKey: call) else { return }
        if let count = callsByConnection[setUp.connection] {
            callsByConnection[setUp.connection] = count > 1 ? count - 1 : nil
        }
        setUp.span.attributes["duet.call.outcome"] = outcome
        setUp.span.end()
    }
}

// MARK: - Pushes

extension ServerTraces {
    /// Begins the span of an attempt, which is a part of the call's set-up while that lasts.
    ///
    /// - Returns: `nil` without a tracer.
    func attemptBegan(_ request: PushRequest) -> (any Span)? {
        guard isEnabled else { return nil }
        let (name, call) =
            switch request.content {
            case .webhook(let event): ("webhook", event.call.id)
            case .device(let push): ("push", push.call.id)
            }
        let span: any Span = tracer.startSpan(name, context: calls[call]?.span.context ?? .topLevel, ofKind: .client)
        span.attributes["duet.push.attempt"] = request.attempt
        if case .webhook(let event) = request.content { span.attributes["duet.push.event"] = event.kind.name }
        return span
    }

    func attemptEnded(_ span: (any Span)?, _ outcome: PushOutcome) {
        guard let span else { return }
        span.attributes["duet.push.outcome"] = outcome.name
        if case .failed = outcome { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}

extension WebhookEvent.Kind {
    fileprivate var name: String {
        switch self {
        case .ringing: "ringing"
        case .ended: "ended"
        }
    }
}

extension PushOutcome {
    fileprivate var name: String {
        switch self {
        case .delivered: "delivered"
        case .unreachable: "unreachable"
        case .failed: "failed"
        case .refused: "refused"
        case .deadToken: "deadToken"
        }
    }
}
