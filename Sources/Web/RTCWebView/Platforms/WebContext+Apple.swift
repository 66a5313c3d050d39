#if canImport(WebKit)
    public import WebKit

    extension WebViewContext {
        /// Makes a configuration for one more web view of the app: its settings and its process pool are those of all others, and so is
        /// its store of cookies and other data.
        ///
        /// Scripts and message handlers are each view's own.
        ///
        /// ```swift
        /// let webView = WKWebView(frame: .zero, configuration: WebViewContext.shared.makeWebViewConfiguration())
        /// ```
        public func makeWebViewConfiguration() -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            configure(configuration)
            return configuration
        }

        /// Gives a configuration that an app has, or a subclass of it, the settings, the process pool and the store of this context.
        ///
        /// WebKit copies a configuration when it makes a view: call this before.
        public func configure(_ configuration: WKWebViewConfiguration) {
            SharedProcessPool.join(configuration)
            configuration.websiteDataStore = sharedStore
            settings.apply(to: configuration)
        }

        /// For a sign-in: whatever its pages open is shown, or refused so that the person sees it, and so WebKit keeps nothing from them.
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
