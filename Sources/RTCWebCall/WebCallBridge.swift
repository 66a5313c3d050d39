public import RTCWebView

/// Lets pages of certain origins make native calls, where the web view has no RTCPeerConnection, or the app wants one interface for all.
///
/// ```swift
/// let bridge = WebCallBridge(allowed: ["https://call.example"], driver: KitCallDriver(controller))
/// bridge.attach(to: view.page)
/// view.page.open("https://call.example/")
/// ```
///
/// A page in the view then has `window.duet`. Requests of other origins, of frames, and of a page that has been left are
/// dropped; so are replies that come too late.
@MainActor
public final class WebCallBridge {
    private let bridge: WebPageBridge
    private let driver: any WebCallDriver
    private var underWay = 0

    /// Requests that a page may have open; more are refused.
    private static let mostRequests = 32

    public init(allowed: OriginList, driver: any WebCallDriver) {
        self.driver = driver
        bridge = WebPageBridge(allowed: allowed, pageScript: WebCallScript.source)
        bridge.onMessage = { [weak self] text, origin in self?.received(text, origin) }
    }

    /// Before the page is loaded.
    public func attach(to page: WebViewPage) { bridge.attach(to: page) }

    /// Tells the page that is there, if it is of this origin.
    public func tell(_ event: WebCallEvent, at origin: WebOrigin) {
        bridge.send(WebCallMessage(event).text, to: origin)
    }

    private func received(_ text: String, _ origin: WebOrigin) {
        switch WebCallRequest.parse(text) {
        case .noise: break
        case .unknown(let id): reply(WebCallMessage(replyTo: id, error: "there is no such request"), origin)
        case .request(let request):
            guard underWay < Self.mostRequests else {
                return reply(WebCallMessage(replyTo: request.id, error: "too many requests are open"), origin)
            }
            underWay += 1
            Task {
                let message = await perform(request)
                underWay -= 1
                reply(message, origin)
            }
        }
    }

    private func reply(_ message: WebCallMessage, _ origin: WebOrigin) { bridge.send(message.text, to: origin) }

    private func perform(_ request: WebCallRequest) async -> WebCallMessage {
        do {
            switch request.action {
            case .call(let peer): try await driver.call(peer)
            case .answer(let accept): try await driver.answer(accept: accept)
            case .hangUp: try await driver.hangUp()
            case .setMuted(let track, let isMuted): try await driver.setMuted(track, isMuted)
            case .statistics:
                return WebCallMessage(replyTo: request.id, statistics: try await driver.statistics())
            }
            return WebCallMessage(replyTo: request.id)
        } catch {
            return WebCallMessage(replyTo: request.id, error: String(describing: error))
        }
    }
}
