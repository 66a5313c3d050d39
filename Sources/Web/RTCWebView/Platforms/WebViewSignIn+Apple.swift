#if canImport(WebKit) && canImport(SwiftUI)
    public import OAuth

    /// Shows a sign-in in a web view over the app, with a bar that shows the origin of the page, a progress indicator,
    /// and Cancel.
    ///
    /// Show third-party providers in the system's browser instead (``SystemBrowser``), as RFC 8252 requires; several of
    /// them refuse to be shown in a web view. The view does not disguise itself as a browser.
    ///
    /// Windows that a page opens, as “Sign in with …” does, are shown over it, up to three at a time; the person is
    /// told about others. If the view controller is in no window, or presents another one, signing in throws
    /// ``OAuthError`` `notPresented` at once.
    ///
    /// ```swift
    /// let agent = await WebViewSignIn(context: .shared, over: { window.rootViewController })
    /// let identity = try await client.signIn(using: agent)
    /// ```
    public struct WebViewSignIn: AuthorizationUserAgent {
        private let context: WebViewContext
        private let title: String
        private let presenter: @MainActor @Sendable () -> PlatformViewController?

        /// Creates a user agent.
        ///
        /// - Parameters:
        ///   - context: The context with the cookies: with that of the app, a person who is signed in already need not
        ///     enter anything.
        ///   - title: The title until a page is loaded.
        ///   - presenter: Returns the view controller to present it over; `nil` if there is none.
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

        /// Updates the bar for the page, and shows its windows over the sheet.
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
