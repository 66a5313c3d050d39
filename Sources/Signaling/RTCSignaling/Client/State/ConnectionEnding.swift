/// Why a socket ends: what the server has said, or the client's own reason.
struct ConnectionEnding {
    /// The fatal error that the server sent on the current socket.
    private var refusal: SignalingErrorMessage?
    /// The delay that a server requested before it went away.
    private var retryAfter: Duration = .zero
    /// Why the client ended a socket for good.
    private var ownReason: SignalingClientError?
    /// Whether the server has signed in another user than before.
    private var isOtherUser = false

    mutating func refused(_ error: SignalingErrorMessage) {
        refusal = error
        if let pause = error.retryAfter { retryAfter = Self.limited(pause) }
    }

    /// Handles a close status, in case the preceding error message was lost.
    mutating func closed(with code: SignalingErrorCode) {
        guard refusal == nil else { return }
        refusal = SignalingErrorMessage(code, "the server closed the connection (\(code))", fatal: true)
    }

    mutating func goesAway(_ message: GoingAway) {
        retryAfter = Self.limited(message.retryAfter ?? 0)
    }

    private static func limited(_ seconds: Double) -> Duration { .seconds(min(max(seconds, 0), 300)) }

    mutating func signedInOtherUser() {
        isOtherUser = true
    }

    mutating func endForGood(_ error: SignalingClientError) {
        ownReason = error
    }

    /// The error of the socket that has ended; `nil` if it was lost.
    ///
    /// - Parameter requiresUser: Whether the client itself has required the user of the previous sign-in.
    func error(requiresUser: Bool) -> SignalingClientError? {
        if let ownReason { return ownReason }
        if isOtherUser || (requiresUser && refusal?.code == .forbidden) {
            return SignalingClientError(
                .subjectChanged, "the credential is another person's than the one who was signed in")
        }
        return refusal.map { SignalingClientError(.refused($0.code), $0.message) }
    }

    /// Forgets what the server has said, before the next socket.
    mutating func takeRefusal() -> (refusal: SignalingErrorMessage?, retryAfter: Duration) {
        defer { (refusal, retryAfter) = (nil, .zero) }
        return (refusal, retryAfter)
    }
}
