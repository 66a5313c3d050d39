internal import OAuth

/// Detects the end of a sign-in in a web view: the redirect of its page or of a window, or a cancellation, whichever comes first.
@MainActor
final class RedirectWatch {
    private var continuation: CheckedContinuation<String, any Error>?
    private var outcome: Result<String, any Error>?
    private let redirect: RedirectURI
    private let state: Secret?
    /// The open windows of the sign-in, such as that of “Sign in with …”.
    private(set) lazy var windows = PageWindows { [weak self] in self?.watch($0) }

    /// Ends when the page navigates to `redirect`, by a link, a script or a server; that navigation is cancelled and never
    /// loaded. Frames in the page may be of third parties, and end nothing.
    ///
    /// - Parameter start: The authorization URL, whose `state` the redirect has to contain.
    init(_ page: WebViewPage, for redirect: RedirectURI, from start: String) {
        self.redirect = redirect
        state = WebAddress(start).flatMap(AuthorizationResponse.state)
        watch(page)
        page.windows = windows
    }

    private func watch(_ page: WebViewPage) {
        page.onNavigation = { [weak self] request in
            guard let self, let address = WebAddress(request.url), redirect.matches(address) else { return false }
            // If the web view does not report whether it is a frame, the redirect needs the `state` of the sign-in. The URL of a
            // sign-in with a loopback redirect contains no `state`: its redirect is loaded, and the listener compares.
            guard request.isMainFrame ?? state.map({ AuthorizationResponse.names($0, in: address) }) ?? false else {
                return false
            }
            end(.success(request.url))
            return true
        }
    }

    /// Only the first result counts.
    func end(_ result: Result<String, any Error>) {
        guard outcome == nil else { return }
        outcome = result
        continuation?.resume(with: result)
        continuation = nil
    }

    /// The person closed the window, or pressed Cancel.
    func cancelledByPerson() { end(.failure(OAuthError(.userCancelled, "the sign-in was cancelled"))) }

    /// Waits for the redirect, and returns the complete URL.
    func wait() async throws -> String {
        if let outcome { return try outcome.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation = $0 }
        } onCancel: {
            Task { @MainActor in self.end(.failure(CancellationError())) }
        }
    }
}
