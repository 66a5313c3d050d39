/// A way for pages of certain origins to talk with the app: text in, text out.
///
/// What the page says passes through a script of ours in a world of its own, in the main frame alone: only that world reaches the
/// app, and it names the origin by what the document is, not by what the page says or what its address would be: a document that its
/// server has made nobody's (`Content-Security-Policy: sandbox`) is not heard. Frames reach neither.
@MainActor
public final class WebPageBridge {
    /// Whose pages may talk. What others say is dropped.
    public let allowed: OriginList
    /// A script that runs in each page's own world before any of the page's, in the main frame.
    let pageScript: String
    /// What a page of an allowed origin said; at most ``longestMessage`` bytes.
    public var onMessage: ((String, WebOrigin) -> Void)?
    /// Of what was heard last: an answer to it goes to this document, and not to the next one of the same origin.
    public private(set) var document: Document?

    /// One page, from when it is loaded until it is left.
    public struct Document: Sendable, Hashable {
        let name: String
    }

    private weak var page: WebViewPage?

    /// More than this in one message is dropped, in either direction.
    public static let longestMessage = WebPageMessage.longestText

    static let world = "duet-bridge"
    static let handler = "duetBridge"

    /// - Parameter pageScript: It sends by `document.dispatchEvent(new CustomEvent('duet-request', {detail: text}))`, and hears
    ///   `duet-message` in the same way.
    public init(allowed: OriginList, pageScript: String) {
        self.allowed = allowed
        self.pageScript = pageScript
    }

    /// Lets the pages of a view talk, from the next one that is loaded on. A view has one bridge.
    public func attach(to page: WebViewPage) {
        self.page = page
        page.attach(self)
    }

    /// Says something to the page that is there, if it may hear it.
    ///
    /// - Parameters:
    ///   - origin: Whose page it is for: one that has come meanwhile does not hear it.
    ///   - document: The page that asked, for a reply: another one of the same origin does not hear it, nor the same one after it was
    ///     loaded anew. Nothing is for whichever is there.
    public func send(_ text: String, to origin: WebOrigin, in document: Document? = nil) {
        guard text.utf8.count <= Self.longestMessage, allowed.contains(origin), let page, page.claimedOrigin == origin
        else { return }
        let isThis = document.map { " && self.duetDocument === \(Self.literal($0.name))" } ?? ""
        page.engine?.evaluate(
            """
            if (self.origin === \(Self.literal(origin.description))\(isThis)) {
              document.dispatchEvent(new CustomEvent('duet-message', {detail: \(Self.literal(text))}));
            }
            """, world: Self.world)
    }

    /// What our script heard: the origin and the name of the document in its first line, then the page's words.
    func received(_ message: String) {
        guard let heard = WebPageMessage(message, allowed: allowed, of: page?.claimedOrigin) else { return }
        document = heard.document
        onMessage?(heard.text, heard.origin)
    }

    static let contentScript = """
        (() => {
          const app = window.webkit.messageHandlers.\(handler);
          const random = crypto.getRandomValues(new Uint8Array(12));
          self.duetDocument = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
          document.addEventListener('duet-request', (event) => {
            const text = event.detail;
            if (typeof text !== 'string' || text.length > \(longestMessage)) return;
            app.postMessage(self.origin + ' ' + self.duetDocument + '\\n' + text);
          });
        })();
        """

    /// A text as JavaScript writes it.
    nonisolated static func literal(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x20, 0x21, 0x23...0x3B, 0x3D...0x5B, 0x5D...0x7E:
                result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
