public import RTCWebView

/// Lets pages of certain origins make native calls, where the web view has no RTCPeerConnection, or the app wants one interface for all.
///
/// ```swift
/// let bridge = WebCallBridge(allowed: ["https://call.example"], driver: KitCallDriver(controller))
/// bridge.attach(to: view.page)
/// events = KitCallEvents(bridge)
/// delegates = CallManagerDelegateGroup([events, self])    // keep both: neither controller nor group does
/// await controller.setCallManagerDelegate(delegates)
/// view.page.open("https://call.example/")
/// ```
///
/// A page in the view then has `window.duet`. Requests of other origins, of frames, and of a page that has been left are
/// dropped; so are replies that come too late. The page that it is attached to goes on without this object.
@MainActor
public final class WebCallBridge {
    private let bridge: WebPageBridge
    private weak var page: WebViewPage?

    public init(allowed: OriginList, driver: any WebCallDriver) {
        bridge = WebPageBridge(allowed: allowed, pageScript: WebCallScript.source)
        let desk = WebCallDesk(driver) { [weak bridge] text, origin in bridge?.send(text, to: origin) }
        bridge.onMessage = { text, origin in desk.received(text, origin) }
    }

    /// Before the page is loaded. The page keeps what it needs to be answered.
    public func attach(to page: WebViewPage) {
        self.page = page
        bridge.attach(to: page)
    }

    /// Tells the page that is there, if it is of an origin that may call.
    public func tell(_ event: WebCallEvent) {
        if let origin = page?.origin { tell(event, at: origin) }
    }

    /// Tells the page that is there, if it is of this origin.
    public func tell(_ event: WebCallEvent, at origin: WebOrigin) {
        bridge.send(WebCallMessage(event).text, to: origin)
    }
}
