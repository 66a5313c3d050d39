internal import OAuth

/// A sign-in in a web view: watches where its page is sent, and the pages of windows that it opens, and ends once, whatever comes
/// first.
@MainActor
final class RedirectWatch {
    private var continuation: CheckedContinuation<String, any Error>?
    private var outcome: Result<String, any Error>?
    private let redirect: RedirectURI
    private let state: Secret?
    /// The windows that pages of the sign-in have open: "Sign in with …" works by one.
    private(set) lazy var windows = PageWindows { [weak self] in self?.watch($0) }

    /// Ends when the page is sent to `redirect`, by a link, a script or a server; that navigation is stopped, and never loaded.
    /// Frames inside the page are somebody else's perhaps, and end nothing.
    ///
    /// - Parameter start: The server's page, which names the login that the redirect is of.
    init(_ page: WebViewPage, for redirect: RedirectURI, from start: String) {
        self.redirect = redirect
        state = WebAddress(start).flatMap(AuthorizationResponse.state)
        watch(page)
        page.windows = windows
    }

    private func watch(_ page: WebViewPage) {
        page.onNavigation = { [weak self] request in
            guard let self, let address = WebAddress(request.url), redirect.matches(address) else { return false }
            // Where the web view does not say whether it is a frame, the redirect has to know the login. A loopback redirect
            // does not stand in the address that the view begins with: it is loaded, and its receiver compares.
            guard request.isMainFrame ?? state.map({ AuthorizationResponse.names($0, in: address) }) ?? false else {
                return false
            }
            end(.success(request.url))
            return true
        }
    }

    /// The first outcome counts.
    func end(_ result: Result<String, any Error>) {
        guard outcome == nil else { return }
        outcome = result
        continuation?.resume(with: result)
        continuation = nil
    }

    /// The person closed it, or pressed Cancel.
    func cancelledByPerson() { end(.failure(OAuthError(.userCancelled, "the sign-in was cancelled"))) }

    /// The whole address that matched.
    func wait() async throws -> String {
        if let outcome { return try outcome.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation = $0 }
        } onCancel: {
            Task { @MainActor in self.end(.failure(CancellationError())) }
        }
    }
}
