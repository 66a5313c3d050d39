#if canImport(WebKit)
    import WebKit

    /// The configurations of a context's views, which share one store of data. All views of an app share one process pool.
    @MainActor
    enum SharedConfiguration {
        /// That of a context, made when it is first asked for.
        static func of(_ context: WebViewContext) -> WKWebViewConfiguration {
            if let made = context.platform as? WKWebViewConfiguration { return made }
            let made = make(context.settings, context.isEphemeral ? .nonPersistent() : .default())
            context.platform = made
            return made
        }

        /// One for one view, whose scripts are its own.
        static func forView(of context: WebViewContext) -> WKWebViewConfiguration {
            make(context.settings, of(context).websiteDataStore)
        }

        private static func make(_ settings: WebViewSettings, _ store: WKWebsiteDataStore) -> WKWebViewConfiguration {
            let configuration = WKWebViewConfiguration()
            SharedProcessPool.join(configuration)
            configuration.websiteDataStore = store
            configuration.suppressesIncrementalRendering = settings.suppressesIncrementalRendering
            configuration.mediaTypesRequiringUserActionForPlayback =
                settings.requiresUserActionForMediaPlayback ? .all : []
            configuration.limitsNavigationsToAppBoundDomains = settings.limitsNavigationsToAppBoundDomains
            #if os(iOS)
                configuration.allowsInlineMediaPlayback = settings.allowsInlineMediaPlayback
                configuration.dataDetectorTypes = settings.detectsData ? .all : []
            #endif
            return configuration
        }
    }
#endif
