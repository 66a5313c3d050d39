import RTCWebView
import SwiftUI
import WebKit

// The web views of docs/web-view.md, as they stand there.

@MainActor
final class BrowserModel {
    var attachment: WebViewAttachment?

    func show() -> WKWebView {
        let webView = WKWebView(frame: .zero, configuration: WebViewContext.shared.makeWebViewConfiguration())
        let attachment = WebViewAttachment(webView)              // keep it: WebKit does not
        attachment.page.open("https://example.com/call")         // microphone, camera, then the page
        self.attachment = attachment
        return webView
    }

    func adopt(_ webView: WKWebView) {
        attachment = WebViewAttachment(webView, setsDelegates: false)
    }
}

final class BrowserDelegate: NSObject, WKUIDelegate {
    let attachment: WebViewAttachment

    init(_ webView: WKWebView) {
        attachment = WebViewAttachment(webView, setsDelegates: false)
        super.init()
        webView.navigationDelegate = attachment.delegates        // loading, policy and trust as they are decided here
        webView.uiDelegate = self                                // the app's own, which hands on what it does not decide
    }

    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin, initiatedByFrame frame: WKFrameInfo,
        type: WKMediaCaptureType, decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
    ) {
        attachment.delegates.webView(
            webView, requestMediaCapturePermissionFor: origin, initiatedByFrame: frame, type: type,
            decisionHandler: decisionHandler)
    }
}

struct GesturePage: View {
    var body: some View {
        WebPageView("https://example.com/call").withWebView { $0.allowsBackForwardNavigationGestures = true }
    }
}
