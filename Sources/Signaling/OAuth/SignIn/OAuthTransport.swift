/// What sends the requests of a login: the system's HTTPS, or a stand-in of a test.
public protocol OAuthTransport: Sendable {
    /// Sends a request and reads the answer, whatever its status. Redirects are not followed: an endpoint that wants
    /// them is none.
    ///
    /// - Throws: ``OAuthError`` `unreachable`, `timedOut`, `untrusted`, `badResponse` for an answer longer than
    ///   ``OAuthRequest/longestResponse``. `CancellationError`.
    func send(_ request: OAuthRequest) async throws -> OAuthResponse
}
