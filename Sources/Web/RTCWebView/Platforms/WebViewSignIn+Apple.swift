#if canImport(WebKit) && canImport(SwiftUI)
    public import OAuth

    /// A sign-in in a web view over the app's own: a bar that says whose page it is, a sign of loading, and Cancel.
    ///
    /// Providers that are somebody else's are better shown in the system's browser (``SystemBrowser``), which RFC 8252 asks for,
    /// and several of them refuse to be shown in a view. The view never pretends to be another one.
    ///
    /// A window that a page opens, as “Sign in with …” does, is shown over it, three at a time; what is not shown is said. Where the
    /// view controller is in no window, or shows something else, signing in throws ``OAuthError`` `notPresented` at once.
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
            guard let presenter = presenter() else { throw SheetPresentation.noController }
            var configuration = WebViewConfiguration()
            configuration.neededCapture = []
            let view = WebPageViewController(with: context.makeSignInConfiguration(), context, configuration)
            let watch = RedirectWatch(view.page, for: redirect, from: url)
            let sheet = SignInSheet(view, title: title) { watch.cancelledByPerson() }
            connect(view, sheet, watch.windows)
            try sheet.present(over: presenter)
            defer {
                watch.windows.closeAll()
                sheet.close()
            }
            view.page.load(url)
            return try await watch.wait()
        }

        /// Shows in the bar what the page does, and over the sheet what it opens.
        @MainActor private func connect(_ view: WebPageViewController, _ sheet: SignInSheet, _ windows: PageWindows) {
            view.page.onEvent = { [weak sheet, weak page = view.page] _ in
                if let page { sheet?.show(SignInBar(page)) }
            }
            view.attachment.delegates.onWindow = { [weak view, weak sheet, weak windows, title] given in
                guard let view, let sheet, let windows else { return nil }
                let other = WebPageViewController(with: given, view.page.context, view.page.configuration)
                let over = SignInSheet(other, title: title) { [weak page = other.page] in page?.onClose?() }
                guard (try? over.present(over: sheet.controller)) != nil else { return nil }
                connect(other, over, windows)
                windows.opened(other.page) { over.close() }
                return other.attachment.webView
            }
        }
    }
#endif
