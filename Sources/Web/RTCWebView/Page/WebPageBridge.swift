/// Exchanges text messages between the app and pages of certain origins.
///
/// Messages of a page pass through a script in an isolated world of the main frame. Only that script can reach the app,
/// and it takes the origin from the document itself: neither from the page's message nor from its URL, so a sandboxed
/// document (`Content-Security-Policy: sandbox`) is ignored. Frames cannot send or receive.
@MainActor
package final class WebPageBridge {
    /// The origins whose pages may exchange messages. Messages of other pages are dropped.
    package let allowed: OriginList
    /// A script that runs in each page's own world before any of the page's, in the main frame.
    let pageScript: String
    /// Called with a message of a page with an allowed origin, at most ``longestMessage`` bytes.
    package var onMessage: ((String, WebOrigin) -> Void)?
    /// The document of the latest message. Pass it to `send` so that a reply does not reach the next document of the
    /// same origin.
    package private(set) var document: Document?

    /// A document: one page from when it is loaded until it is left.
    package struct Document: Sendable, Hashable {
        let name: String
    }

    private weak var page: WebViewPage?

    /// The maximum length of a message in bytes. Longer ones are dropped, in both directions.
    package static let longestMessage = WebPageMessage.longestText

    static let world = "duet-bridge"
    static let handler = "duetBridge"

    /// Creates a bridge.
    ///
    /// - Parameter pageScript: The script that runs in the page. It sends with `document.dispatchEvent(new
    ///   CustomEvent('duet-request', {detail: text}))`, and receives `duet-message` events.
    package init(allowed: OriginList, pageScript: String) {
        self.allowed = allowed
        self.pageScript = pageScript
    }

    /// Attaches the bridge to a web view, from the next page on. A view has one bridge.
    package func attach(to page: WebViewPage) {
        self.page = page
        page.attach(self)
    }

    /// Sends a message to the current page, if its origin is allowed.
    ///
    /// - Parameters:
    ///   - origin: The origin of the page. Another page does not receive the message.
    ///   - document: The document to reply to. Another document of the same origin does not receive the message, even
    ///     the same page after a reload. `nil` for the current one.
    package func send(_ text: String, to origin: WebOrigin, in document: Document? = nil) {
        guard text.utf8.count <= Self.longestMessage, allowed.contains(origin), origin.isPotentiallyTrustworthy,
            let page, page.claimedOrigin == origin
        else { return }
        let isThis = document.map { " && self.duetDocument === \(Self.literal($0.name))" } ?? ""
        page.engine?.evaluate(
            """
            if (self.origin === \(Self.literal(origin.description))\(isThis)) {
              document.dispatchEvent(new CustomEvent('duet-message', {detail: \(Self.literal(text))}));
            }
            """, world: Self.world)
    }

    /// Handles a message of the content script: a first line with the origin and the name of the document, then the page's text.
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

    /// A JavaScript string literal.
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
