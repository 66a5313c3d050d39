#if canImport(WebKit) && canImport(SwiftUI)
    public import SwiftUI
    public import WebKit

    /// A web view in SwiftUI. It opens another page when its URL changes.
    ///
    /// ```swift
    /// WebPageView("https://example.com/call")
    /// ```
    public struct WebPageView {
        private let url: String
        private let context: WebViewContext
        private let configuration: WebViewConfiguration
        private let onMake: (WebViewPage) -> Void
        private var configure: [@MainActor (WKWebView) -> Void] = []

        /// Creates a view.
        ///
        /// - Parameter onMake: Called with the page when the view is created, to read its events and call its methods.
        @MainActor public init(
            _ url: String, context: WebViewContext = .shared,
            configuration: WebViewConfiguration = WebViewConfiguration(),
            onMake: @escaping (WebViewPage) -> Void = { _ in }
        ) {
            self.url = url
            self.context = context
            self.configuration = configuration
            self.onMake = onMake
        }

        @MainActor private func make() -> WebPageViewController {
            let controller = WebPageViewController(url: url, context: context, configuration: configuration)
            for body in configure { controller.withWebView(body) }
            onMake(controller.page)
            return controller
        }

        /// Calls a closure with the `WKWebView` when it is created, for features that have no API here: see
        /// ``WebPageViewController/withWebView(_:)``.
        public func withWebView(_ body: @escaping @MainActor (WKWebView) -> Void) -> WebPageView {
            var copy = self
            copy.configure.append(body)
            return copy
        }
    }

    #if os(macOS)
        extension WebPageView: NSViewControllerRepresentable {
            public func makeNSViewController(context: Context) -> WebPageViewController { make() }
            public func updateNSViewController(_ controller: WebPageViewController, context: Context) {
                controller.want(url)
            }
        }
    #else
        extension WebPageView: UIViewControllerRepresentable {
            public func makeUIViewController(context: Context) -> WebPageViewController { make() }
            public func updateUIViewController(_ controller: WebPageViewController, context: Context) {
                controller.want(url)
            }
        }
    #endif
#endif
