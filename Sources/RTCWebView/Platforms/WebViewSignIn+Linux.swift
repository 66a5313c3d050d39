#if os(Linux) && WebKitGTK
    import RTCViews

    /// A sign-in in a window of the app's own, with a bar that says whose page it is, a sign of loading, and Cancel.
    ///
    /// Providers that are somebody else's are better shown in the system's browser, which RFC 8252 asks for, and several of them
    /// refuse to be shown in a view. The view never pretends to be another one.
    public struct WebViewSignIn: AuthorizationUserAgent {
        private let context: WebViewContext
        private let title: String

        /// - Parameters:
        ///   - context: Whose cookies it has: with the app's own, a person who is signed in already need not type anything.
        ///   - title: Of the window.
        public init(context: WebViewContext, title: String = "Sign in") {
            self.context = context
            self.title = title
        }

        public func present(_ url: String, until redirect: RedirectURI) async throws -> String {
            try await show(url, redirect)
        }

        @MainActor private func show(_ url: String, _ redirect: RedirectURI) async throws -> String {
            var configuration = WebViewConfiguration()
            configuration.neededCapture = []
            let window: WebWindow
            do throws(ViewError) {
                let view = try WebPageView(context: context, configuration: configuration)
                window = try WebWindow(view, title: title, bar: .task, size: (560, 720))
            } catch {
                throw OAuthError(.userAgentFailed, error.message)
            }
            defer { window.close() }
            let watch = RedirectWatch(window.view.page, for: redirect, from: url)
            window.onClose = { watch.cancelledByPerson() }
            window.view.page.load(url)
            return try await watch.wait()
        }
    }
#endif
