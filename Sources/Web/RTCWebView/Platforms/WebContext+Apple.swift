#if canImport(WebKit)
    public import WebKit

    extension WebViewContext {
        /// Returns a configuration for a new web view, with the settings, the process pool and the website data that
        /// all views share.
        ///
        /// Each view has its own scripts and message handlers.
        ///
        /// ```swift
        /// let webView = WKWebView(frame: .zero, configuration: WebViewContext.shared.makeWebViewConfiguration())
        /// ```
        public func makeWebViewConfiguration() -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            configure(configuration)
            return configuration
        }

        /// Applies the settings, the process pool and the website data of this context to a configuration of the app.
        ///
        /// Call it before the view is created: WebKit copies the configuration.
        public func configure(_ configuration: WKWebViewConfiguration) {
            SharedProcessPool.join(configuration)
            configuration.websiteDataStore = sharedStore
            settings.apply(to: configuration)
        }

        /// The configuration for a sign-in: scripts may open windows without a click, because WebKit would block them silently.
        /// This package shows each window, or refuses it with a notice.
        func makeSignInConfiguration() -> WKWebViewConfiguration {
            let configuration = makeWebViewConfiguration()
            configuration.preferences.javaScriptCanOpenWindowsAutomatically = true
            return configuration
        }

        private var sharedStore: WKWebsiteDataStore {
            if let made = platform as? WKWebsiteDataStore { return made }
            let made = isEphemeral ? WKWebsiteDataStore.nonPersistent() : .default()
            platform = made
            return made
        }
    }

    extension WKWebViewConfiguration: WebViewSettable {
        func setIncrementalRendering(isSuppressed: Bool) { suppressesIncrementalRendering = isSuppressed }
        func setUserAction(isRequired: Bool) { mediaTypesRequiringUserActionForPlayback = isRequired ? .all : [] }
        func setAppBoundDomains(areLimits: Bool) { limitsNavigationsToAppBoundDomains = areLimits }

        func setInlinePlayback(isAllowed: Bool) {
            #if os(iOS)
                allowsInlineMediaPlayback = isAllowed
            #endif
        }

        func setDataDetection(isOn: Bool) {
            #if os(iOS)
                dataDetectorTypes = isOn ? .all : []
            #endif
        }
    }
#endif
