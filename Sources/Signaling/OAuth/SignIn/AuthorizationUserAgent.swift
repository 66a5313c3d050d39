/// Shows the pages of the authorization server to the person: a system browser, or a web view of the app.
///
/// It needs to know nothing about OAuth: it opens one URL, and waits for another one.
public protocol AuthorizationUserAgent: Sendable {
    /// Opens `url`, and closes when the page is redirected to `redirect`.
    ///
    /// - Parameters:
    ///   - url: An https URL of the authorization server.
    ///   - redirect: The redirect to wait for. Pass each navigation, by the server or by a script, to
    ///     ``RedirectURI/matches(_:)``; one that matches is stopped, and never loaded.
    /// - Returns: The complete URL that matched, with query and fragment, unchanged. A browser that cannot observe
    ///   navigation, because the app listens on a loopback port, does not return: it waits until it is cancelled.
    /// - Throws: ``OAuthError`` `userCancelled` if the person closes it or presses Cancel; `userAgentFailed` if it
    ///   cannot be shown. Cancelling the task closes it too.
    func present(_ url: String, until redirect: RedirectURI) async throws -> String
}
