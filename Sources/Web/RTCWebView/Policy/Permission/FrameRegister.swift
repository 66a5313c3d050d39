/// Determines which documents of a page may be requesting capture, for WebKitGTK, which reports only the page of a request.
///
/// A frame of another origin can request capture only if its page permits it (`allow="camera"`, W3C Permissions Policy). So a
/// page without such frames requests for itself; with one, the two cannot be told apart. Such frames are detected in two ways,
/// and a result of either counts:
///
/// 1. Each frame reports itself with ``script``, wherever it is in the page, and however it was created.
/// 2. With each request, ``inspection`` searches the page's document, and those that it can access.
///
/// Both run in an isolated world, where the page's scripts can neither see nor change them. A frame that may capture only the
/// screen is detected by the second alone.
struct FrameRegister: Sendable {
    static let world = "duet-frames"
    static let handler = "duetFrames"

    /// The number of allowed navigations of frames in the current page, up to a limit.
    private var loads = 0
    /// The documents of frames that may capture, by the name that each gave itself; `nil` is an opaque origin.
    private var capturingFrames: [String: WebOrigin?] = [:]
    /// Whether there were more frames than the limit.
    private var isFull = false
    /// The devices for which `permissions.query` was answered with “denied” by this package.
    private var denied: Set<CaptureKind> = []

    private static let mostFrames = 500

    init() {}

    /// Resets the register for a new page.
    mutating func pageChanged() { self = FrameRegister() }

    /// Counts an allowed navigation, which may be a frame's.
    mutating func frameLoaded() { loads = min(loads + 1, 1_000) }

    /// Whether the page may have frames.
    var hasFrames: Bool { loads > 0 || !capturingFrames.isEmpty || isFull }

    /// Records that `permissions.query` was answered with “denied” by this package. If that is so for both devices, a frame's
    /// report that it may not capture may be due to this and not to the page's policy, and is ignored.
    mutating func permissionDenied(_ kind: CaptureKind) { denied.insert(kind) }

    /// Handles a message of the script: `+ NAME ORIGIN` when a document is loaded, `= NAME` when it may not capture, `- NAME`
    /// when it is unloaded.
    mutating func receiveMessage(_ message: String) {
        let words = message.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 2, words[1].utf8.count <= 64 else { return }
        switch (words[0], words.count) {
        case ("+", 3):
            guard capturingFrames.count < Self.mostFrames else { return isFull = true }
            capturingFrames[words[1]] = .some(WebOrigin(words[2]))
        case ("=", 2): if !denied.isSuperset(of: [.camera, .microphone]) { capturingFrames[words[1]] = nil }
        case ("-", 2): capturingFrames[words[1]] = nil
        default: break
        }
    }

    /// Returns the requester.
    ///
    /// - Parameters:
    ///   - page: The origin of the view's URL.
    ///   - found: The result of ``inspection``; `nil` if it failed.
    func requester(page: WebOrigin?, found: String?) -> PageCaptureRequest.Requester {
        guard !isFull, let page, let found else { return .frame(nil) }
        var lines = found.split(separator: "\n", omittingEmptySubsequences: false).map { WebOrigin(String($0)) }
        // The current document must have the origin of the URL: not that of another server, and not an opaque one
        // (`Content-Security-Policy: sandbox`).
        guard lines.removeFirst() == page else { return .frame(nil) }
        var origins: Set<WebOrigin> = []
        for origin in capturingFrames.values where origin != page {
            guard let origin else { return .frame(nil) }
            origins.insert(origin)
        }
        for origin in lines {
            // A frame with the page's URL that is not the page has an opaque origin.
            guard let origin, origin != page else { return .frame(nil) }
            origins.insert(origin)
        }
        return origins.isEmpty ? .page : .pageOrFrames(origins)
    }

    /// Runs in every frame, before the page's scripts.
    static let script = """
        (() => {
          if (window === window.top) return;
          const app = window.webkit.messageHandlers.\(handler);
          const name = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
          const begin = async () => {
            app.postMessage('+ ' + name + ' ' + self.origin);
            try {
              for (const device of ['camera', 'microphone']) {
                if ((await navigator.permissions.query({name: device})).state !== 'denied') return;
              }
              app.postMessage('= ' + name);
            } catch (error) {}
          };
          addEventListener('pageshow', (event) => { if (event.isTrusted && event.persisted) begin(); });
          addEventListener('pagehide', (event) => { if (event.isTrusted) app.postMessage('- ' + name); });
          begin();
        })();
        """

    /// Runs in the main frame. Returns the origin of its document, then the URLs of frames that it cannot access and that may
    /// capture, one per line; `?` if there is no URL.
    ///
    /// Elements of a frame's document have constructors of that frame, which `instanceof` does not recognize here.
    static let inspection = """
        (() => {
          const found = [self.origin];
          const look = (root) => {
            for (const element of root.querySelectorAll('*')) {
              if (element.shadowRoot) look(element.shadowRoot);
              if (!('contentDocument' in element)) continue;
              let inner = null;
              try { inner = element.contentDocument; } catch (error) {}
              if (inner) { look(inner); continue; }
              const allowed = element.getAttribute('allow') || '';
              if (/camera|microphone|display-capture/i.test(allowed)) found.push(element.src || element.data || '?');
            }
          };
          look(document);
          return found.join('\\n');
        })()
        """
}
