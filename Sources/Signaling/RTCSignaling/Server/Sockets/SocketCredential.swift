/// The credential of a signed-in connection, and its renewals: one is verified at a time, and of those that arrive meanwhile the newest
/// is next.
struct SocketCredential {
    /// When the token expires, on the loop's clock.
    private(set) var expiry: Duration?
    /// When relay credentials expire at the latest, in seconds since 1970.
    private(set) var relayEnd: Int64?
    /// The time limit of the current token while another one is being verified.
    private var renewalEnd: Duration?
    /// The newest token that has arrived since.
    private var nextRenewal: Renewal?

    /// What follows a renewal.
    enum Next {
        case verify(Renewal)
        case expired
        case nothing
    }

    /// The memory that it holds, in bytes.
    var heldBytes: Int { nextRenewal?.token.utf8.count ?? 0 }

    mutating func accept(expiry: Duration?, relayEnd: Int64?) {
        (self.expiry, self.relayEnd) = (expiry, relayEnd)
    }

    private func hasExpired(at now: Duration) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether the connection has to end: another token that is being verified has its time.
    func isOver(at now: Duration) -> Bool { hasExpired(at: now) && renewalEnd.map { $0 <= now } ?? true }

    /// - Returns: Whether to verify the token now.
    mutating func begin(_ renewal: Renewal, until end: Duration) -> Bool {
        guard renewalEnd == nil else {
            nextRenewal = renewal
            return false
        }
        renewalEnd = end
        return true
    }

    /// Ends a renewal.
    ///
    /// - Parameter timeout: The time limit for verifying the next one.
    mutating func endRenewal(at now: Duration, timeout: Duration) -> Next {
        let (end, next) = (renewalEnd ?? now, nextRenewal)
        (renewalEnd, nextRenewal) = (nil, nil)
        let hasEnded = hasExpired(at: now)
        guard let next, !hasEnded || now < end else { return hasEnded ? .expired : .nothing }
        // Once the token has expired, further renewals do not extend the time limit.
        renewalEnd = hasEnded ? end : now + timeout
        return .verify(next)
    }
}
