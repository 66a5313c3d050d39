#if canImport(WebKit)
    import WebKit

    /// The one process pool of all views of an app. Since iOS 15 several pools have no effect any more; seed and habit share it.
    @MainActor
    final class WebProcessPool: WKProcessPool {
        static let shared = WebProcessPool()
    }

    /// The configuration that all views of a context share. WebKit makes copies of it by `init`, which applies the settings anew.
    @MainActor
    final class SharedConfiguration: WKWebViewConfiguration {
        /// What WebKit calls for a copy, on the main thread as all that it does: that of the app's own views.
        override nonisolated init() {
            super.init()
            nonisolated(unsafe) let copy = self
            MainActor.assumeIsolated { copy.apply(WebViewContext.shared.settings, .default()) }
        }

        init(_ context: WebViewContext) {
            super.init()
            apply(context.settings, context.isEphemeral ? .nonPersistent() : .default())
        }

        private func apply(_ settings: WebViewSettings, _ store: WKWebsiteDataStore) {
            processPool = WebProcessPool.shared
            websiteDataStore = store
            suppressesIncrementalRendering = settings.suppressesIncrementalRendering
            mediaTypesRequiringUserActionForPlayback = settings.requiresUserActionForMediaPlayback ? .all : []
            limitsNavigationsToAppBoundDomains = settings.limitsNavigationsToAppBoundDomains
            #if os(iOS)
                allowsInlineMediaPlayback = settings.allowsInlineMediaPlayback
                dataDetectorTypes = settings.detectsData ? .all : []
            #endif
        }

        /// A copy for one view, whose scripts are its own.
        static func forView(of context: WebViewContext) -> WKWebViewConfiguration {
            let shared = of(context)
            let copy = SharedConfiguration(context)
            copy.websiteDataStore = shared.websiteDataStore
            copy.userContentController = WKUserContentController()
            return copy
        }

        /// That of a context, made when it is first asked for, so that its views share one store of data.
        static func of(_ context: WebViewContext) -> SharedConfiguration {
            if let made = context.platform as? SharedConfiguration { return made }
            let made = SharedConfiguration(context)
            context.platform = made
            return made
        }
    }
#endif
