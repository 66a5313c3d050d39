/// A sign-in in a web view: watches where its page is sent, and ends once, whatever comes first.
@MainActor
final class RedirectWatch {
    private var continuation: CheckedContinuation<String, any Error>?
    private var outcome: Result<String, any Error>?

    /// Ends when the page is sent to `redirect`, by a link, a script or a server; that navigation is stopped, and never loaded.
    init(_ page: WebViewPage, for redirect: RedirectURI) {
        page.onNavigation = { [weak self] request in
            guard let self, redirect.matches(request.url) else { return false }
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
