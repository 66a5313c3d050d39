#if canImport(WebKit)
    import WebKit

    /// Allows calling a deprecated API of WebKit, which the compiler otherwise refuses with warnings as errors.
    @MainActor
    private protocol ProcessPoolSharing {
        static func share(with configuration: WKWebViewConfiguration)
    }

    /// The process pool of all web views of an app.
    ///
    /// Since iOS 15 and macOS 12 WebKit always shares one pool; before, only views of the same pool shared their session. It is
    /// set nevertheless, so that both cases work.
    @MainActor
    enum SharedProcessPool: ProcessPoolSharing {
        @available(*, deprecated, message: "WebKit shares one pool by itself")
        private static let pool = WKProcessPool()

        @available(*, deprecated, message: "WebKit shares one pool by itself")
        fileprivate static func share(with configuration: WKWebViewConfiguration) { configuration.processPool = pool }

        static func join(_ configuration: WKWebViewConfiguration) {
            let sharing: any ProcessPoolSharing.Type = Self.self
            sharing.share(with: configuration)
        }
    }
#endif
