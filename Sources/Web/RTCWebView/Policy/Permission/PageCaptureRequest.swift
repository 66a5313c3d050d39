/// A page's request to capture: one call of `getUserMedia` or `getDisplayMedia`.
package struct PageCaptureRequest: Sendable, Hashable {
    /// The document that makes the request.
    package enum Requester: Sendable, Hashable {
        /// The page, or a frame with the same origin.
        case page
        /// A frame with another origin; `nil` if it is unknown or opaque.
        case frame(WebOrigin?)
        /// The page, or one of its frames with these other origins: the web view does not say which.
        case pageOrFrames(Set<WebOrigin>)
    }

    /// The origin of the page; `nil` if it is opaque.
    package let page: WebOrigin?
    package let requester: Requester
    /// The requested kinds; not empty.
    package let kinds: Set<CaptureKind>

    package init(page: WebOrigin?, requester: Requester = .page, kinds: Set<CaptureKind>) {
        self.page = page
        self.requester = requester
        self.kinds = kinds
    }

    /// Creates a request for web views that report both documents, as WKWebView does.
    ///
    /// - Parameters:
    ///   - frame: The origin of the document that makes the request; `nil` if it is opaque, which never counts as the
    ///     page.
    ///   - topLevel: The origin of the page.
    package init(kinds: Set<CaptureKind>, frame: WebOrigin?, topLevel: WebOrigin?) {
        self.init(page: topLevel, requester: frame != nil && frame == topLevel ? .page : .frame(frame), kinds: kinds)
    }

    /// The origin for which the person is asked: that which captures, or the page on behalf of its frames.
    package var origin: WebOrigin? {
        switch requester {
        case .page, .pageOrFrames: page
        case .frame(let origin): origin
        }
    }

    /// Whether the request comes from a frame with another origin, or may do so.
    package var isForeign: Bool {
        switch requester {
        case .page: false
        case .frame(let origin): origin != page
        case .pageOrFrames: true
        }
    }

    /// All origins that request capture, or may be the ones that do.
    var capturers: Set<WebOrigin> {
        var all = origin.map { [$0] } ?? []
        if case .pageOrFrames(let frames) = requester { all += frames }
        return Set(all)
    }
}
