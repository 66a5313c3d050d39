// on: macos
// refused: has no member 'scrollView'
// chosen: by a reader who did not write the headers
import WebKit
@MainActor func t(_ w: WKWebView) { _ = w.scrollView }
