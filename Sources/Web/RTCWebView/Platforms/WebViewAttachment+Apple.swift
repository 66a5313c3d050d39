#if canImport(WebKit) && canImport(SwiftUI)
    import RTCWire
    public import WebKit

    #if os(macOS)
        import AppKit
    #else
        import UIKit
    #endif

    /// Adds the behaviour of a ``WebViewPage`` to an existing `WKWebView`: permissions for camera and microphone,
    /// navigation rules, trust, script dialogs, and pages for failed loads.
    ///
    /// ```swift
    /// let webView = WKWebView(frame: .zero, configuration: WebViewContext.shared.makeWebViewConfiguration())
    /// let attachment = WebViewAttachment(webView)
    /// attachment.page.open("https://example.com/call")    // microphone, camera, then the page
    /// ```
    ///
    /// Keep it as long as the view: WebKit does not retain delegates. When it is released, the view has no delegates.
    /// Questions are shown over the view controller that contains the view, or by the app
    /// (``WebViewPage/panelPresenter``). A view with another configuration works too, but keeps the settings of that.
    ///
    /// For an app with its own delegates, pass `setsDelegates: false`, and forward to ``delegates`` what the app does
    /// not decide itself.
    @MainActor
    public final class WebViewAttachment {
        /// The page: its state, its events and its methods.
        public let page: WebViewPage
        /// The delegates of the view: `WKNavigationDelegate`, `WKUIDelegate` and `WKDownloadDelegate`.
        public let delegates: WebPageDelegates
        public var webView: WKWebView { held.webView }
        private let held: HeldWebView
        private let panels: WebPanelPresenter
        private var wakeTask: Task<Void, Never>?
        private static let beginning = ContinuousClock.now

        /// Attaches to a web view.
        ///
        /// - Parameters:
        ///   - webView: A view without another attachment, best created with
        ///     ``WebViewContext/makeWebViewConfiguration()``.
        ///   - context: The state that it shares with the app's other views.
        ///   - setsDelegates: Whether ``delegates`` become those of the view. Otherwise the app's own delegates call
        ///     them: all methods of the navigation delegate or none, because they depend on each other; of the other
        ///     delegates any.
        public convenience init(
            _ webView: WKWebView, context: WebViewContext = .shared,
            configuration: WebViewConfiguration = WebViewConfiguration(), setsDelegates: Bool = true
        ) {
            self.init(HeldWebView(webView, isOwn: false), context, configuration, setsDelegates: setsDelegates)
        }

        /// Creates an attachment that owns its view, which ends with it.
        convenience init(own webView: WKWebView, _ context: WebViewContext, _ configuration: WebViewConfiguration) {
            self.init(HeldWebView(webView, isOwn: true), context, configuration, setsDelegates: true)
        }

        private init(
            _ held: HeldWebView, _ context: WebViewContext, _ configuration: WebViewConfiguration, setsDelegates: Bool
        ) {
            self.held = held
            page = WebViewPage(context: context, configuration: configuration)
            delegates = WebPageDelegates(page)
            panels = WebPanelPresenter(over: held.webView)
            page.engine = self
            if setsDelegates {
                webView.navigationDelegate = delegates
                webView.uiDelegate = delegates
            }
            observe()
        }

        deinit {
            wakeTask?.cancel()
            // WebKit's objects are released on the main thread, wherever the last holder releases this.
            let (held, page, delegates) = (held, page, delegates)
            Task { @MainActor in
                held.close(delegates)
                page.engineClosed()
            }
        }

        /// WebKit reports on the main thread, which KVO does not declare; hence the task.
        private func observe() {
            let changed: @Sendable () -> Void = { [weak page] in
                Task { @MainActor in (page?.engine as? WebViewAttachment)?.showProperties() }
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

    /// The web view with its observers. At release, the delegates are cleared, and an owned view stops loading.
    @MainActor
    private final class HeldWebView {
        let webView: WKWebView
        var observations: [NSKeyValueObservation] = []
        private let isOwn: Bool

        init(_ webView: WKWebView, isOwn: Bool) {
            self.webView = webView
            self.isOwn = isOwn
        }

        func close(_ delegates: WebPageDelegates) {
            for observation in observations { observation.invalidate() }
            if webView.navigationDelegate === delegates { webView.navigationDelegate = nil }
            if webView.uiDelegate === delegates { webView.uiDelegate = nil }
            guard isOwn else { return }
            webView.stopLoading()
            webView.removeFromSuperview()
        }
    }

    extension WebViewAttachment: WebEngine {
        func load(_ url: String) {
            if let request = URLRequest(PageRequest(url, page.configuration)) { webView.load(request) }
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

        func show(_ panel: WebPanel?) -> Bool { panels.show(panel, of: page) }
        /// Not possible: WebKit terminates its processes itself.
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
            // Adding a second handler with the same name raises an exception.
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
            wakeTask?.cancel()
            guard let deadline else { return wakeTask = nil }
            let delay = max(0, (deadline - now).nanoseconds)
            wakeTask = Task { [weak page] in
                try? await Task.sleep(nanoseconds: UInt64(delay))
                if !Task.isCancelled { page?.deadlineReached() }
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

    extension URLRequest {
        init?(_ request: PageRequest) {
            guard let address = URL(string: request.url) else { return nil }
            let policy: URLRequest.CachePolicy =
                switch request.cachePolicy {
                case .revalidate: .reloadRevalidatingCacheData
                }
            self.init(url: address, cachePolicy: policy, timeoutInterval: request.timeout)
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
