/// A page's wish to capture: one call of `getUserMedia` or `getDisplayMedia`.
public struct PageCaptureRequest: Sendable, Hashable {
    /// Which document of a page it was.
    public enum Requester: Sendable, Hashable {
        /// The page itself, or a frame of the same origin.
        case page
        /// A frame of another origin, as far as it is known which.
        case frame(WebOrigin?)
        /// The page, or one of its frames of these other origins, all of which may ask: the web view does not say which.
        case pageOrFrames(Set<WebOrigin>)
    }

    /// The origin of the page: what the person sees in the address line. Nothing stands for one that is opaque.
    public let page: WebOrigin?
    public let requester: Requester
    /// Never empty.
    public let kinds: Set<CaptureKind>

    public init(page: WebOrigin?, requester: Requester = .page, kinds: Set<CaptureKind>) {
        self.page = page
        self.requester = requester
        self.kinds = kinds
    }

    /// For web views that name both documents, as WKWebView does.
    ///
    /// - Parameters:
    ///   - frame: The document that asks. An opaque one is nobody's, and never the page.
    ///   - topLevel: The page that it is in, or that it is.
    public init(kinds: Set<CaptureKind>, frame: WebOrigin?, topLevel: WebOrigin?) {
        self.init(page: topLevel, requester: frame != nil && frame == topLevel ? .page : .frame(frame), kinds: kinds)
    }

    /// In whose name it is asked: the origin that would capture, or the page that answers for its frames.
    public var origin: WebOrigin? {
        switch requester {
        case .page, .pageOrFrames: page
        case .frame(let origin): origin
        }
    }

    /// Whether a frame of another origin asks, or may be the one that does.
    public var isForeign: Bool {
        switch requester {
        case .page: false
        case .frame(let origin): origin != page
        case .pageOrFrames: true
        }
    }

    /// All that would capture, or might be the one that would.
    var capturers: Set<WebOrigin> {
        var all = origin.map { [$0] } ?? []
        if case .pageOrFrames(let frames) = requester { all += frames }
        return Set(all)
    }
}
