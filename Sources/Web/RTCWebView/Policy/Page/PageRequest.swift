/// How a page is asked for: what is cached is shown only when its server says that it is still good, and a server that is silent for
/// too long has failed.
struct PageRequest: Sendable, Hashable {
    enum CachePolicy: Sendable, Hashable {
        /// `NSURLRequestReloadRevalidatingCacheData`; `Cache-Control: max-age=0`, RFC 9111, section 5.2.1.1.
        case revalidate
    }

    let url: String
    let cachePolicy: CachePolicy
    /// In seconds.
    let timeout: Double

    init(_ url: String, _ configuration: WebViewConfiguration) {
        self.url = url
        cachePolicy = .revalidate
        timeout = configuration.timeout
    }
}
