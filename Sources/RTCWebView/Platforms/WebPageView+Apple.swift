#if canImport(WebKit) && canImport(SwiftUI)
    import CoreGraphics
    import RTCWire
    import WebKit

    #if os(macOS)
        public import AppKit

        public typealias PlatformViewController = NSViewController
    #else
        public import UIKit

        public typealias PlatformViewController = UIViewController
    #endif

    /// A web view as a view controller: over the whole safe area, on the system's background, bouncing as lists do.
    ///
    /// The page is opened when the view appears: ``WebViewPage/open(_:)`` asks for microphone and camera first.
    @MainActor
    public final class WebPageViewController: PlatformViewController {
        public let page: WebViewPage
        var webView: WKWebView { held.webView }
        private let held: HeldWebView
        private var requested: RequestedPage
        private let delegates: WebPageDelegates
        private var alarm: Task<Void, Never>?
        private static let beginning = ContinuousClock.now

        /// - Parameter url: What is opened when the view first appears.
        public init(
            url: String? = nil, context: WebViewContext = .shared,
            configuration: WebViewConfiguration = WebViewConfiguration()
        ) {
            requested = RequestedPage(url)
            page = WebViewPage(context: context, configuration: configuration)
            held = HeldWebView(SharedConfiguration.forView(of: context))
            delegates = WebPageDelegates(page)
            super.init(nibName: nil, bundle: nil)
            page.engine = self
            webView.navigationDelegate = delegates
            webView.uiDelegate = delegates
            observe()
        }

        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// Opens another page than the one that was wanted last; before the view appears, that one instead.
        public func want(_ url: String) {
            if let url = requested.want(url) { page.open(url) }
        }

        deinit {
            alarm?.cancel()
            // Wherever the last holder lets it go, WebKit is left on the main thread.
            let (held, page) = (held, page)
            Task { @MainActor in
                held.close()
                page.engineClosed()
            }
        }

        #if os(macOS)
            /// The question that stands over the page.
            var shownAlert: NSAlert?

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
            /// The question that stands over the page. The alert and the controller hold each other until it is answered.
            var shownAlert: UIAlertController?

            public override func viewDidLoad() {
                super.viewDidLoad()
                edgesForExtendedLayout = []
                view.backgroundColor = .systemBackground
                navigationController?.view.backgroundColor = .systemBackground
                #if os(iOS)
                    webView.scrollView.bounces = true
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

        /// WebKit tells on the main thread; the compiler is told by a task.
        private func observe() {
            let changed: @Sendable () -> Void = { [weak page] in
                Task { @MainActor in (page?.engine as? WebPageViewController)?.showProperties() }
            }
            held.observations = [
                webView.observe(\.title) { @Sendable _, _ in changed() },
                webView.observe(\.url) { @Sendable _, _ in changed() },
                webView.observe(\.estimatedProgress) { @Sendable _, _ in changed() },
                webView.observe(\.canGoBack) { @Sendable _, _ in changed() },
                webView.observe(\.canGoForward) { @Sendable _, _ in changed() },
                webView.observe(\.cameraCaptureState) { @Sendable _, _ in changed() },
                webView.observe(\.microphoneCaptureState) { @Sendable _, _ in changed() },
            ]
        }

        private func showProperties() {
            page.titleChanged(webView.title ?? "")
            page.canGoBack = webView.canGoBack
            page.canGoForward = webView.canGoForward
            page.addressChanged(webView.address)
            page.captured(.camera, CaptureState(webView.cameraCaptureState))
            page.captured(.microphone, CaptureState(webView.microphoneCaptureState))
            page.progressed(to: webView.estimatedProgress)
        }
    }

    /// The web view, and who watches it, as they are let go: it stops loading, and its delegates are gone.
    @MainActor
    private final class HeldWebView {
        let webView: WKWebView
        var observations: [NSKeyValueObservation] = []

        init(_ configuration: WKWebViewConfiguration) {
            webView = WKWebView(frame: .zero, configuration: configuration)
        }

        func close() {
            for observation in observations { observation.invalidate() }
            webView.stopLoading()
            webView.navigationDelegate = nil
            webView.uiDelegate = nil
            webView.removeFromSuperview()
        }
    }

    extension WebPageViewController: WebEngine {
        func load(_ url: String) {
            guard let address = URL(string: url) else { return }
            webView.load(
                URLRequest(
                    url: address, cachePolicy: .reloadRevalidatingCacheData, timeoutInterval: page.configuration.timeout
                ))
        }

        func show(html: String, insteadOf url: String) {
            guard let address = URL(string: url) else { return }
            webView.loadSimulatedRequest(URLRequest(url: address), responseHTML: html)
        }

        func reload() { webView.reload() }
        func stop() { webView.stopLoading() }
        var isLoading: Bool { webView.isLoading }
        func goBack() { webView.goBack() }
        func goForward() { webView.goForward() }

        func setCapture(_ kind: CaptureKind, _ state: CaptureState) {
            let wanted: WKMediaCaptureState =
                switch state {
                case .none: .none
                case .active: .active
                case .muted: .muted
                }
            switch kind {
            case .camera: webView.setCameraCaptureState(wanted)
            case .microphone: webView.setMicrophoneCaptureState(wanted)
            case .display: break
            }
        }

        func canOpen(outside url: String) -> Bool {
            guard let address = URL(string: url) else { return false }
            #if os(macOS)
                return NSWorkspace.shared.urlForApplication(toOpen: address) != nil
            #else
                return UIApplication.shared.canOpenURL(address)
            #endif
        }

        func open(outside url: String) {
            guard let address = URL(string: url) else { return }
            #if os(macOS)
                NSWorkspace.shared.open(address)
            #else
                UIApplication.shared.open(address)
            #endif
        }

        func show(_ panel: WebPanel?) -> Bool { WebPanelPresenter.show(panel, of: page, over: self) }
        /// WebKit ends its processes itself.
        func endProcess() -> Bool { false }
        var asksAboutOwnPages: Bool { true }

        func addScript(_ source: String, world: String?) {
            webView.configuration.userContentController.addUserScript(
                WKUserScript(
                    source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true,
                    in: world.map { .world(name: $0) } ?? .page))
        }

        func listen(to handler: String, world: String) {
            let controller = webView.configuration.userContentController
            // A second one of the same name is an exception.
            controller.removeScriptMessageHandler(forName: handler, contentWorld: .world(name: world))
            controller.add(delegates, contentWorld: .world(name: world), name: handler)
        }

        func evaluate(_ script: String, world: String) {
            webView.evaluateJavaScript(script, in: nil, in: .world(name: world), completionHandler: nil)
        }

        func ask(_ script: String, world: String, _ answer: @escaping (String?) -> Void) {
            webView.evaluateJavaScript(script, in: nil, in: .world(name: world)) { result in
                answer((try? result.get()) as? String)
            }
        }

        func wake(at deadline: Instant?) {
            alarm?.cancel()
            guard let deadline else { return alarm = nil }
            let delay = max(0, (deadline - now).nanoseconds)
            alarm = Task { [weak page] in
                try? await Task.sleep(nanoseconds: UInt64(delay))
                if !Task.isCancelled { page?.woke() }
            }
        }

        var now: Instant {
            let passed = (ContinuousClock.now - Self.beginning).components
            return Instant(nanoseconds: passed.seconds * 1_000_000_000 + passed.attoseconds / 1_000_000_000)
        }

        var settingsPlace: SettingsPlace {
            #if os(macOS)
                .macOS
            #else
                .iOS
            #endif
        }
    }

    extension CaptureState {
        init(_ state: WKMediaCaptureState) {
            self =
                switch state {
                case .none: .none
                case .active: .active
                case .muted: .muted
                @unknown default: .none
                }
        }
    }
#endif
