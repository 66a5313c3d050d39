/// Who of a page's documents may be asking, where the web view does not say: WebKitGTK tells of a request only which page it
/// belongs to.
///
/// A frame of another origin can ask only if its page lets it (`allow="camera"`, W3C Permissions Policy). So a page without
/// such frames asks for itself; with one, it cannot be told apart, and counts as the frame, which is the careful side.
struct FrameRegister: Sendable {
    /// Frames that were loaded into the page; more are not counted, and change nothing.
    private var count = 0

    init() {}

    /// Another page is there.
    mutating func pageChanged() { count = 0 }

    /// A frame is being loaded, or a frame's address is decided about.
    mutating func frameLoaded() { count = min(count + 1, 1_000) }

    /// Whether the page has to be looked at before it is clear who asks. A page without frames need not.
    var needsInspection: Bool { count > 0 }

    /// Who asks, by what ``inspection`` found.
    ///
    /// - Parameter found: The addresses of frames that may ask, a line each; nothing where the page could not be looked at.
    static func requester(page: WebOrigin?, found: String?) -> CaptureRequest.Requester {
        guard let found else { return .frame(nil) }
        guard !found.isEmpty else { return .page }
        let origins = Set(found.split(separator: "\n").map { WebOrigin(String($0)) })
        guard origins.count == 1, let origin = origins.first else { return .frame(nil) }
        return .frame(origin)
    }

    /// A script that runs in a world of its own in the page's main frame, where the page's scripts cannot change what it sees.
    ///
    /// It returns the addresses of frames that it cannot look into, since they are of another origin, and that are allowed to
    /// capture; `?` where there is no address.
    static let inspection = """
        (() => {
          const found = [];
          const look = (root) => {
            for (const element of root.querySelectorAll('*')) {
              if (element.shadowRoot) look(element.shadowRoot);
              if (!(element instanceof HTMLIFrameElement)) continue;
              let inner = null;
              try { inner = element.contentDocument; } catch (error) {}
              if (inner) { look(inner); continue; }
              if (/camera|microphone|display-capture/i.test(element.getAttribute('allow') || '')) found.push(element.src || '?');
            }
          };
          look(document);
          return found.join('\\n');
        })()
        """
}
