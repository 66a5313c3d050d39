/// How a page is loaded: cached content is revalidated at its server, and a server that is silent for too long counts as failed.
struct PageRequest: Sendable, Hashable {
    enum CachePolicy: Sendable, Hashable {
        /// `NSURLRequestReloadRevalidatingCacheData`; `Cache-Control: max-age=0`, RFC 9111, section 5.2.1.1.
        case revalidate
    }

    let url: String
    let cachePolicy: CachePolicy
    /// The timeout in seconds.
    let timeout: Double

    init(_ url: String, _ configuration: WebViewConfiguration) {
        self.url = url
        cachePolicy = .revalidate
        timeout = configuration.timeout
    }
}
