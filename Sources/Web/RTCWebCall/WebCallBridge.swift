public import RTCWebView
public import WebRTCKit

/// Lets pages of certain origins make native calls, where the web view has no RTCPeerConnection, or the app wants one interface for all.
///
/// ```swift
/// let bridge = WebCallBridge(allowed: ["https://call.example"], driver: KitCallDriver(controller))
/// bridge.attach(to: view.page)
/// bridge.follow(controller)
/// view.page.open("https://call.example/")
/// ```
///
/// A page in the view then has `window.duet`. Requests of other origins, of frames, and of a page that has been left are
/// dropped; so are replies that come too late. The page that it is attached to goes on without this object.
@MainActor
public final class WebCallBridge {
    private let bridge: WebPageBridge
    private weak var page: WebViewPage?
    private var following: Task<Void, Never>?

    public init(allowed: OriginList, driver: any WebCallDriver) {
        bridge = WebPageBridge(allowed: allowed, pageScript: WebCallScript.source)
        let desk = WebCallDesk(driver) { [weak bridge] text, origin in bridge?.send(text, to: origin) }
        bridge.onMessage = { text, origin in desk.received(text, origin) }
    }

    deinit { following?.cancel() }

    /// Tells the page of the calls of a controller, from now on until the bridge is released or follows another controller.
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
