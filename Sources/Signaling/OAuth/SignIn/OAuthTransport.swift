/// Sends the HTTP requests of a sign-in: the system's HTTPS, or a mock in tests.
package protocol OAuthTransport: Sendable {
    /// Sends a request and returns the response, whatever its status. Redirects are not followed.
    ///
    /// - Throws: ``OAuthError`` `unreachable`, `timedOut`, `untrusted`, `badResponse` for a response longer than
    ///   ``OAuthRequest/longestResponse``. `CancellationError`.
    func send(_ request: OAuthRequest) async throws -> OAuthResponse
}
