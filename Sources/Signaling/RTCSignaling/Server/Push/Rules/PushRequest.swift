/// Something to send: an event for the app's own server, or a push to a device.
public struct PushRequest: Hashable, Sendable {
    /// The number of the request, the same for each attempt.
    public var id: UInt64
    /// The number of the attempt, from 1.
    public var attempt: Int
    public var content: Content

    public enum Content: Hashable, Sendable {
        case webhook(WebhookEvent)
        case device(DevicePush)
    }

    package init(id: UInt64, attempt: Int = 1, content: Content) {
        self.id = id
        self.attempt = attempt
        self.content = content
    }
}

/// An event for the app's own server.
public struct WebhookEvent: Hashable, Sendable {
    public var kind: Kind
    public var call: RingingCall
    /// How long the call may still ring.
    public var timeLeft: Duration

    public enum Kind: Hashable, Sendable {
        /// Nobody of the callee is connected.
        case ringing
        /// A call of which `ringing` may have arrived does not ring any more.
        case ended(RingEnd)
    }

    package init(kind: Kind, call: RingingCall, timeLeft: Duration) {
        self.kind = kind
        self.call = call
        self.timeLeft = timeLeft
    }

    /// The identifier of the event, by which a receiver recognizes a repetition: also one after a restart of the server.
    public var id: String {
        switch kind {
        case .ringing: "ringing_\(call.id)"
        case .ended: "ended_\(call.id)"
        }
    }
}

/// A push that lets a device ring.
public struct DevicePush: Hashable, Sendable {
    public var token: PushToken
    public var call: RingingCall
    /// How long the call may still ring: a push that arrives later is of no use.
    public var timeLeft: Duration

    package init(token: PushToken, call: RingingCall, timeLeft: Duration) {
        self.token = token
        self.call = call
        self.timeLeft = timeLeft
    }
}

/// The result of an attempt.
public enum PushOutcome: Hashable, Sendable {
    case delivered
    /// The receiver says that it cannot wake this user.
    case unreachable
    /// Another attempt may succeed, no sooner than after this time.
    case failed(retryAfter: Duration = .zero)
    /// Another attempt would fail too.
    case refused
    /// There is no device with this token any more, for that long already; `nil` if the service does not say.
    case deadToken(since: Duration?)
}

/// The statistics of pushes: counters since the start of the server, unless stated otherwise.
package struct PushStatistics: Hashable, Sendable {
    /// The current number of devices with a token.
    package var tokens = 0
    /// The current number of requests that are being sent, or wait for it.
    package var waiting = 0
    package var attempts: UInt64 = 0
    package var delivered: UInt64 = 0
    /// The number of requests that were given up.
    package var failed: UInt64 = 0
    /// The number of requests that were dropped, because their call did not ring any more.
    package var cancelled: UInt64 = 0
    package var deadTokens: UInt64 = 0
    /// The number of calls for which nothing was sent because of a limit.
    package var limited: UInt64 = 0

    package init() {}
}
