public import RTCWebView
public import WebRTCKit

/// Lets pages of certain origins make native calls, where the web view has no RTCPeerConnection, or the app wants the
/// same interface everywhere.
///
/// ```swift
/// let bridge = WebCallBridge(allowed: ["https://call.example"], driver: KitCallDriver(controller))
/// bridge.attach(to: view.page)
/// bridge.follow(controller)
/// view.page.open("https://call.example/")
/// ```
///
/// A page in the view then has `window.duet`. Requests of other origins, of frames, and of a page that was left are
/// dropped, and so are replies to it. The page that the bridge is attached to continues to work when the bridge is
/// released.
@MainActor
public final class WebCallBridge {
    private let bridge: WebPageBridge
    private weak var page: WebViewPage?
    private var following: Task<Void, Never>?

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - allowed: The origins whose pages may make calls.
    ///   - driver: Makes the calls.
    public init(allowed: OriginList, driver: any WebCallDriver) {
        bridge = WebPageBridge(allowed: allowed, pageScript: WebCallScript.source)
        let handler = WebCallRequestHandler(driver) { [weak bridge] text, origin in bridge?.send(text, to: origin) }
        bridge.onMessage = { text, origin in handler.received(text, origin) }
    }

    deinit { following?.cancel() }

    /// Sends the events of a controller to the page, until the bridge is released or follows another controller.
    public func follow(_ controller: WebRTCController) {
        following?.cancel()
        let events = controller.events
        following = Task { [weak self] in
            for await event in events {
                guard let self, !Task.isCancelled else { return }
                if let event = WebCallEvent(event) { tell(event) }
            }
        }
    }

    /// Attaches the bridge to a web view, before a page is loaded. The view keeps what is needed to respond to its
    /// page.
    public func attach(to page: WebViewPage) {
        self.page = page
        bridge.attach(to: page)
    }

    /// Sends an event to the current page, if its origin is allowed.
    public func tell(_ event: WebCallEvent) {
        if let origin = page?.origin { tell(event, at: origin) }
    }

    /// Sends an event to the current page, if it has this origin.
    public func tell(_ event: WebCallEvent, at origin: WebOrigin) {
        bridge.send(WebCallMessage(event).text, to: origin)
    }
}
