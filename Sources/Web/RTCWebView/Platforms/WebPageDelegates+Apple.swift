#if canImport(WebKit)
    public import WebKit

    #if os(macOS)
        import AppKit
    #endif

    /// Implements WebKit's delegates for a page.
    ///
    /// A ``WebViewAttachment`` creates it. An app with its own delegates forwards the calls that it does not decide
    /// itself, with WebKit's arguments:
    ///
    /// ```swift
    /// func webView(
    ///     _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin, initiatedByFrame frame: WKFrameInfo,
    ///     type: WKMediaCaptureType, decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    /// ) {
    ///     attachment.delegates.webView(
    ///         webView, requestMediaCapturePermissionFor: origin, initiatedByFrame: frame, type: type,
    ///         decisionHandler: decisionHandler)
    /// }
    /// ```
    @MainActor
    public final class WebPageDelegates: NSObject {
        private let page: WebViewPage
        /// Creates the view of a window that a page opens, with WebKit's configuration.
        var onWindow: ((WKWebViewConfiguration) -> WKWebView?)?

        init(_ page: WebViewPage) {
            self.page = page
            super.init()
        }
    }

    // MARK: Navigation

    extension WebPageDelegates: WKNavigationDelegate {
        public func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
            preferences: WKWebpagePreferences,
            decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy, WKWebpagePreferences) -> Void
        ) {
            decisionHandler(
                page.decide(NavigationRequest(navigationAction)) ? navigationAction.policy : .cancel, preferences)
        }

        public func webView(
            _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
            decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
        ) {
            decisionHandler(WKNavigationResponsePolicy(navigationResponse.decided(by: page)))
        }

        public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
            page.started(webView.address)
        }

        public func webView(
            _ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!
        ) {
            page.redirected(webView.address)
        }

        public func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
        ) {
            page.failed(LoadFailure(error), url: LoadFailure.address(of: error) ?? webView.address)
        }

        public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
            page.committed(webView.address)
        }

        public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) { page.finished() }

        public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            page.failed(LoadFailure(error), url: LoadFailure.address(of: error) ?? webView.address)
        }

        public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { page.processEnded() }

        public func webView(
            _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            Task {
                let judged = await JudgedChallenge.judge(challenge)
                let answer = await page.answer(judged)
                completionHandler(answer.disposition, answer.credential)
            }
        }

        public func webView(
            _ webView: WKWebView, authenticationChallenge challenge: URLAuthenticationChallenge,
            shouldAllowDeprecatedTLS decisionHandler: @escaping @MainActor @Sendable (Bool) -> Void
        ) {
            decisionHandler(page.configuration.trust.allowsDeprecatedTLS)
        }

        public func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload)
        {
            download.delegate = self
        }

        public func webView(
            _ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload
        ) {
            download.delegate = self
        }
    }

    extension WebPageDelegates: WKScriptMessageHandler {
        public func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
            // Only messages of the main frame are passed on.
            if message.frameInfo.isMainFrame, let text = message.body as? String { page.receiveMessage(text) }
        }
    }

    extension WebPageDelegates: WKDownloadDelegate {
        public func download(
            _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
            completionHandler: @escaping @MainActor @Sendable (URL?) -> Void
        ) {
            completionHandler(
                page.decideDownload(
                    ObjectIdentifier(download), url: response.url?.absoluteString ?? "",
                    suggestedName: suggestedFilename
                ).map { URL(fileURLWithPath: $0) })
        }

        public func downloadDidFinish(_ download: WKDownload) { page.downloadEnded(ObjectIdentifier(download)) }

        public func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {
            page.downloadEnded(ObjectIdentifier(download), failure: error.localizedDescription)
        }
    }

    // MARK: Panels, windows, capture

    extension WebPageDelegates: WKUIDelegate {
        public func webView(
            _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
            for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
        ) -> WKWebView? {
            let url = navigationAction.request.url?.absoluteString ?? ""
            guard page.decideWindow(url, isUserGesture: navigationAction.navigationType == .linkActivated) else {
                return nil
            }
            let view = onWindow?(configuration)
            if view == nil { page.refuseWindow(url) }
            return view
        }

        public func webViewDidClose(_ webView: WKWebView) { page.onClose?() }

        public func webView(
            _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo,
            completionHandler: @escaping @MainActor @Sendable () -> Void
        ) {
            page.run(ScriptDialog(kind: .alert, message: message, origin: WebOrigin(frame.securityOrigin))) { _ in
                completionHandler()
            }
        }

        public func webView(
            _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
        ) {
            page.run(ScriptDialog(kind: .confirm, message: message, origin: WebOrigin(frame.securityOrigin))) {
                completionHandler($0.isConfirmed)
            }
        }

        public func webView(
            _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void
        ) {
            let dialog = ScriptDialog(
                kind: .prompt(defaultText: defaultText ?? ""), message: prompt, origin: WebOrigin(frame.securityOrigin))
            page.run(dialog) { completionHandler($0.text) }
        }

        #if os(macOS)
            /// Shows a panel to choose files. Without it, WebKit cancels on macOS; on iOS it has a panel of its own.
            public func webView(
                _ webView: WKWebView, runOpenPanelWith parameters: WKOpenPanelParameters,
                initiatedByFrame frame: WKFrameInfo,
                completionHandler: @escaping @MainActor @Sendable ([URL]?) -> Void
            ) {
                let panel = NSOpenPanel()
                panel.allowsMultipleSelection = parameters.allowsMultipleSelection
                panel.canChooseDirectories = parameters.allowsDirectories
                let answer: (NSApplication.ModalResponse) -> Void = { response in
                    completionHandler(response == .OK ? panel.urls : nil)
                }
                if let window = webView.window {
                    panel.beginSheetModal(for: window, completionHandler: answer)
                } else {
                    panel.begin(completionHandler: answer)
                }
            }
        #endif

        public func webView(
            _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
            initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
            decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) {
            // WebKit's first origin is the page's; the frame is what requests.
            let request = PageCaptureRequest(
                kinds: type.kinds, frame: WebOrigin(frame.securityOrigin), topLevel: WebOrigin(origin))
            page.decide(request) { decisionHandler($0 ? .grant : .deny) }
        }
    }
#endif
