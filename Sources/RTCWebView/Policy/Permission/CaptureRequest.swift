/// A page's wish to capture: one call of `getUserMedia` or `getDisplayMedia`.
public struct CaptureRequest: Sendable, Hashable {
    /// Which document of a page it was.
    public enum Requester: Sendable, Hashable {
        /// The page itself, or a frame of the same origin.
        case page
        /// A frame of another origin, as far as it is known which.
        case frame(WebOrigin?)
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

    /// Whom an answer concerns: the origin that would capture.
    public var origin: WebOrigin? {
        switch requester {
        case .page: page
        case .frame(let origin): origin
        }
    }
}
