// on: macos
// refused: cannot find type|cannot convert
import WebKit
@MainActor func base(_ view: WKWebView) -> UIView { view }
