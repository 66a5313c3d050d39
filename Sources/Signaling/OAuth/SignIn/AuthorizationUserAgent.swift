/// What shows the provider's pages to the person who signs in: a system browser, or a web view of the app's.
///
/// It knows nothing of OAuth. It shows one address, and looks out for one other.
public protocol AuthorizationUserAgent: Sendable {
    /// Shows `url` until the person is sent to `redirect`, and closes.
    ///
    /// - Parameters:
    ///   - url: An https address of the authorization server.
    ///   - redirect: What to look out for: ``RedirectURI/matches(_:)`` says of each navigation, a server's redirect or
    ///     a script's as well, whether it is the one. That navigation is stopped, never loaded.
    /// - Returns: The whole address that matched, with its query and fragment, as it was. A browser that cannot see
    ///   where it is sent, because the app listens on a loopback port, returns nothing: it waits until it is cancelled.
    /// - Throws: ``OAuthError`` `userCancelled` when the person closes it or presses Cancel; `userAgentFailed` when it
    ///   cannot be shown. A cancelled task closes it too.
    func present(_ url: String, until redirect: RedirectURI) async throws -> String
}
