#if canImport(WebKit) && canImport(SwiftUI)
    /// A sign-in in a web view over the app's own: a bar that says whose page it is, a sign of loading, and Cancel.
    ///
    /// Providers that are somebody else's are better shown in the system's browser (``SystemBrowser``), which RFC 8252 asks for,
    /// and several of them refuse to be shown in a view. The view never pretends to be another one.
    ///
    /// ```swift
    /// let identity = try await client.signIn(using: WebViewSignIn(over: { controller }))
    /// ```
    public struct WebViewSignIn: AuthorizationUserAgent {
        private let context: WebViewContext
        private let title: String
        private let presenter: @MainActor @Sendable () -> PlatformViewController?

        /// - Parameters:
        ///   - context: Whose cookies it has: with the app's own, a person who is signed in already need not type anything.
        ///   - title: Until a page has come.
        ///   - presenter: The view controller that it is shown over; `nil` when there is none any more.
        public init(
            context: WebViewContext, title: String = "Sign in",
            over presenter: @escaping @MainActor @Sendable () -> PlatformViewController?
        ) {
            self.context = context
            self.title = title
            self.presenter = presenter
        }

        public func present(_ url: String, until redirect: RedirectURI) async throws -> String {
            try await show(url, redirect)
        }

        @MainActor private func show(_ url: String, _ redirect: RedirectURI) async throws -> String {
            guard let presenter = presenter() else {
                throw OAuthError(.userAgentFailed, "there is no view controller to show the sign-in over")
            }
            var configuration = WebViewConfiguration()
            configuration.neededCapture = []
            let view = WebPageViewController(context: context, configuration: configuration)
            let watch = RedirectWatch(view.page, for: redirect, from: url)
            let sheet = SignInSheet(view, title: title) { watch.cancelledByPerson() }
            view.page.onEvent = { [weak sheet, weak page = view.page] _ in
                if let page { sheet?.show(SignInBar(page)) }
            }
            sheet.present(over: presenter)
            defer { sheet.close() }
            view.page.load(url)
            return try await watch.wait()
        }
    }
#endif
