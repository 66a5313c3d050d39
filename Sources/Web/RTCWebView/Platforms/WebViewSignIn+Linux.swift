#if os(Linux) && WebKitGTK
    public import OAuth
    import RTCViews

    /// Shows a sign-in in a window, with a bar that shows the origin of the page, a progress indicator, and Cancel.
    ///
    /// Show third-party providers in the system's browser instead, as RFC 8252 requires; several of them refuse to be
    /// shown in a web view. The view does not disguise itself as a browser.
    ///
    /// Windows that a page opens, as “Sign in with …” does, are shown too, up to three at a time; the person is told
    /// about others.
    public struct WebViewSignIn: AuthorizationUserAgent {
        private let context: WebViewContext
        private let title: String

        /// Creates a user agent.
        ///
        /// - Parameters:
        ///   - context: The context with the cookies: with that of the app, a person who is signed in already need not
        ///     enter anything.
        ///   - title: The title of the window.
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
            let view: WebPageView
            let window: WebWindow
            do throws(ViewError) {
                view = try WebPageView(context, configuration, opensWindows: true)
                window = try self.window(view)
            } catch {
                throw OAuthError(.userAgentFailed, error.message)
            }
            let watch = RedirectWatch(view.page, for: redirect, from: url)
            defer {
                watch.windows.closeAll()
                window.close()
            }
            window.onClose = { watch.cancelledByPerson() }
            openWindows(of: view, watch.windows)
            view.page.load(url)
            return try await watch.wait()
        }

        @MainActor private func window(_ view: WebPageView) throws(ViewError) -> WebWindow {
            try WebWindow(view, title: title, bar: .task, size: (560, 720))
        }

        /// Shows the windows that the pages of a view open.
        @MainActor private func openWindows(of view: WebPageView, _ windows: PageWindows) {
            view.onWindow = { [weak windows] opened in
                guard let windows else { return }
                openWindows(of: opened, windows)
                var window: WebWindow?
                // The closure retains the window, with its view.
                windows.opened(opened.page) {
                    window?.close()
                    window = nil
                    opened.onReady = nil
                }
                opened.onReady = { [weak page = opened.page, weak windows] in
                    do throws(ViewError) {
                        let made = try self.window(opened)
                        made.onClose = { page?.onClose?() }
                        window = made
                    } catch {
                        page?.refuseWindow(page?.url ?? "")
                        if let page { windows?.close(page) }
                    }
                }
            }
        }
    }
#endif
