// on: macos ios visionos
// refused: nearly matches optional requirement
import Foundation
import WebKit
@MainActor final class Pages: NSObject, WKNavigationDelegate {
    func webView(_ webView: WKWebView, didFinished navigation: WKNavigation!) {}
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation?, withError error: String) {}
}
