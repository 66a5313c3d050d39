#if canImport(WebKit) && canImport(SwiftUI)
    import CoreGraphics
    public import WebKit

    #if os(macOS)
        public import AppKit

        public typealias PlatformViewController = NSViewController
    #else
        public import UIKit

        public typealias PlatformViewController = UIViewController
    #endif

    /// A view controller with a web view that fills the safe area.
    ///
    /// The page is opened when the view appears: ``WebViewPage/open(_:)`` requests microphone and camera first. For an
    /// existing `WKWebView`, use ``WebViewAttachment``.
    @MainActor
    public final class WebPageViewController: PlatformViewController {
        public var page: WebViewPage { attachment.page }
        let attachment: WebViewAttachment
        private var requested: RequestedPage

        /// Creates a view controller.
        ///
        /// - Parameter url: The URL that is opened when the view first appears.
        public init(
            url: String? = nil, context: WebViewContext = .shared,
            configuration: WebViewConfiguration = WebViewConfiguration()
        ) {
            requested = RequestedPage(url)
            attachment = WebViewAttachment(
                own: WKWebView(frame: .zero, configuration: context.makeWebViewConfiguration()), context, configuration)
            super.init(nibName: nil, bundle: nil)
        }

        /// - Parameter given: For a window that a page opens, WebKit's configuration, which the view has to use.
        init(with given: WKWebViewConfiguration, _ context: WebViewContext, _ configuration: WebViewConfiguration) {
            requested = RequestedPage(nil)
            attachment = WebViewAttachment(
                own: WKWebView(frame: .zero, configuration: given), context, configuration)
            super.init(nibName: nil, bundle: nil)
        }

        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// Opens another page than the last one that was passed. Before the view has appeared, it replaces the first
        /// page.
        public func want(_ url: String) {
            if let url = requested.want(url) { page.open(url) }
        }

        /// Calls a closure with the `WKWebView`, for features that have no API here: gestures, the scroll view,
        /// printing, snapshots, inspection.
        ///
        /// Its delegates are ``WebViewAttachment/delegates``: do not replace them. Do not keep the view longer than the
        /// controller.
        ///
        /// ```swift
        /// controller.withWebView { $0.allowsBackForwardNavigationGestures = true }
        /// ```
        ///
        /// - Returns: The result of `body`.
        public func withWebView<Result>(_ body: (WKWebView) throws -> Result) rethrows -> Result {
            try body(attachment.webView)
        }

        #if os(macOS)
            public override func loadView() { view = NSView(frame: .zero) }

            public override func viewDidLoad() {
                super.viewDidLoad()
                place()
            }

            public override func viewDidAppear() {
                super.viewDidAppear()
                appeared()
            }
        #else
            public override func viewDidLoad() {
                super.viewDidLoad()
                edgesForExtendedLayout = []
                view.backgroundColor = .systemBackground
                navigationController?.view.backgroundColor = .systemBackground
                #if os(iOS)
                    attachment.webView.scrollView.bounces = true
                #endif
                place()
            }

            public override func viewDidAppear(_ animated: Bool) {
                super.viewDidAppear(animated)
                appeared()
            }
        #endif

        private func place() {
            #if os(macOS)
                let container: NSView = view
            #else
                guard let container: UIView = view else { return }
            #endif
            let webView = attachment.webView
            webView.translatesAutoresizingMaskIntoConstraints = false
            container.addSubview(webView)
            let safeArea = container.safeAreaLayoutGuide
            NSLayoutConstraint.activate([
                webView.leadingAnchor.constraint(equalTo: safeArea.leadingAnchor),
                webView.trailingAnchor.constraint(equalTo: safeArea.trailingAnchor),
                webView.topAnchor.constraint(equalTo: safeArea.topAnchor),
                webView.bottomAnchor.constraint(equalTo: safeArea.bottomAnchor),
            ])
        }

        private func appeared() {
            if let url = requested.appeared(isEmpty: page.url == nil) { page.open(url) }
        }
    }
#endif
