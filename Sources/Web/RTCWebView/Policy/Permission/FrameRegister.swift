/// Who of a page's documents may be asking, where the web view does not say: WebKitGTK tells of a request only which page it
/// belongs to.
///
/// A frame of another origin can ask only if its page lets it (`allow="camera"`, W3C Permissions Policy). So a page without
/// such frames asks for itself; with one, the two cannot be told apart. Two ways lead to such frames, and what either finds counts:
///
/// 1. Each frame says so itself, by ``script``, wherever in the page it is, and however it came there.
/// 2. When something is asked for, ``inspection`` looks through the page's document, and those it can look into.
///
/// Both run in a world of their own, where the page's scripts can neither see them nor change what they see. A frame that may
/// capture the screen, and neither camera nor microphone, is found by the second alone.
struct FrameRegister: Sendable {
    static let world = "duet-frames"
    static let handler = "duetFrames"

    /// Navigations of frames that were allowed since the page is there; more are not counted, and change nothing.
    private var loads = 0
    /// Documents of frames that may capture, by the name that each gave itself; `nil` is an opaque origin.
    private var able: [String: WebOrigin?] = [:]
    /// There were more than anybody can keep an eye on.
    private var isFull = false
    /// What `permissions.query` was answered with "denied" by us.
    private var denied: Set<CaptureKind> = []

    private static let mostFrames = 500

    init() {}

    /// Another page is there.
    mutating func pageChanged() { self = FrameRegister() }

    /// A navigation is allowed, perhaps a frame's.
    mutating func frameLoaded() { loads = min(loads + 1, 1_000) }

    /// Whether the page may have frames.
    var hasFrames: Bool { loads > 0 || !able.isEmpty || isFull }

    /// `permissions.query` was answered with "denied" by us. Once that is so of both devices, it may be from us that a frame has it,
    /// and not from its page's policy: what it concludes from that is not to be relied on.
    mutating func permissionDenied(_ kind: CaptureKind) { denied.insert(kind) }

    /// What a frame's script of ours says: `+ NAME ORIGIN` when its document is there, `= NAME` when it may not capture, `- NAME`
    /// when it is gone.
    mutating func heard(_ message: String) {
        let words = message.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 2, words[1].utf8.count <= 64 else { return }
        switch (words[0], words.count) {
        case ("+", 3):
            guard able.count < Self.mostFrames else { return isFull = true }
            able[words[1]] = .some(WebOrigin(words[2]))
        case ("=", 2): if !denied.isSuperset(of: [.camera, .microphone]) { able[words[1]] = nil }
        case ("-", 2): able[words[1]] = nil
        default: break
        }
    }

    /// Who asks.
    ///
    /// - Parameters:
    ///   - page: Whose address the view has.
    ///   - found: What ``inspection`` returned; nothing where the page could not be looked at.
    func requester(page: WebOrigin?, found: String?) -> PageCaptureRequest.Requester {
        guard !isFull, let page, let found else { return .frame(nil) }
        var lines = found.split(separator: "\n", omittingEmptySubsequences: false).map { WebOrigin(String($0)) }
        // The document that is there must be the one that the address names: not that of another server, and not one that
        // its own server has made nobody's (`Content-Security-Policy: sandbox`).
        guard lines.removeFirst() == page else { return .frame(nil) }
        var origins: Set<WebOrigin> = []
        for origin in able.values where origin != page {
            guard let origin else { return .frame(nil) }
            origins.insert(origin)
        }
        for origin in lines {
            // One that has the page's address and is not the page is opaque.
            guard let origin, origin != page else { return .frame(nil) }
            origins.insert(origin)
        }
        return origins.isEmpty ? .page : .pageOrFrames(origins)
    }

    /// Runs in every frame, before any script of the page's.
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

    /// Runs in the main frame. It returns the origin of its document, then the addresses of frames that it cannot look into and that
    /// are allowed to capture, a line each; `?` where there is no address.
    ///
    /// Elements of a frame's document are made by constructors of that frame's own, which `instanceof` does not know here.
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
