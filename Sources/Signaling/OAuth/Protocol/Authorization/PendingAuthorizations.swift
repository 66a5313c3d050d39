/// The authorization requests whose redirects have not arrived, by their `state`.
package struct PendingAuthorizations: Sendable {
    private var requests: [Secret: AuthorizationRequest] = [:]
    /// The used states, newest last, so that a replayed redirect has an error of its own.
    private var used: [Secret] = []

    /// The time limit for a sign-in, in seconds.
    static let lifetime: Int64 = 15 * 60
    private static let capacity = 64

    package init() {}

    /// Whether no redirect is expected.
    package var isEmpty: Bool { requests.isEmpty }

    package mutating func begin(_ request: AuthorizationRequest) {
        // The oldest one is dropped: with so many it has been abandoned.
        if requests.count >= Self.capacity, let oldest = requests.min(by: { $0.value.began < $1.value.began }) {
            requests[oldest.key] = nil
        }
        requests[request.state] = request
    }

    /// Cancels a request. Its redirect is rejected from now on.
    package mutating func cancel(_ request: AuthorizationRequest) {
        if requests.removeValue(forKey: request.state) != nil { use(request.state) }
    }

    /// Takes the code out of the redirect of a sign-in, and ends the pending sign-in. A redirect of another one changes nothing.
    ///
    /// - Throws: ``OAuthError``: those of the redirect.
    mutating func redeem(_ url: String, of request: AuthorizationRequest, now: UnixTime) throws(OAuthError) -> Secret {
        let response = try AuthorizationResponse(parsing: url, of: request.redirect)
        guard !used.contains(response.state) else {
            throw OAuthError(.stateReused, "the redirect was used before: it is played a second time")
        }
        guard response.state == request.state, requests.removeValue(forKey: response.state) != nil else {
            throw OAuthError(.stateUnknown, "the redirect does not belong to this login")
        }
        use(response.state)
        guard now < request.began + Self.lifetime else {
            throw OAuthError(.loginExpired, "the sign-in took longer than a quarter of an hour: begin again")
        }
        // Checked before the error, which may be another server's.
        if let issuer = response.issuer {
            guard issuer.utf8.elementsEqual(request.issuer.string.utf8) else {
                throw OAuthError(.mixUp, "another server than \(request.issuer) answered the login")
            }
        } else if request.namesIssuer {
            throw OAuthError(
                .issuerMissing, "\(request.issuer) names itself in redirects, and this one names nobody")
        }
        switch response.outcome {
        case .code(let code): return code
        case .refused(let error): throw AuthorizationResponse.error(error, request.issuer)
        }
    }

    private mutating func use(_ state: Secret) {
        used.append(state)
        if used.count > Self.capacity { used.removeFirst() }
    }
}
