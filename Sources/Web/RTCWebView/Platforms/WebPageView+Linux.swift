#if os(Linux) && WebKitGTK
    import CWebKit
    import Dispatch
    import RTCWire
    public import RTCViews

    /// A web view as a GTK 4 widget: the page, and a panel over it for questions to the person.
    ///
    /// ```swift
    /// try MainLoop.run {
    ///     let window = try WebWindow(WebPageView(), title: "Call")
    ///     window.view.page.open("https://example.com/call")
    ///     …
    /// }
    /// ```
    ///
    /// When it is released, it stops loading, and pending requests of the page are denied.
    @MainActor
    public final class WebPageView {
        public let page: WebViewPage
        /// The `GtkWidget`, owned by this object, to put into a window.
        public var widget: OpaquePointer { root.pointer }

        let library: WebKitLibrary
        let context: WebKitContext
        let content: WebKitObject
        let root: WebKitObject
        /// An unowned reference, valid as long as the root.
        let view: OpaquePointer
        let panel: WebPanelView
        private var wakeTask: Task<Void, Never>?
        var early = EarlyChallenge()
        /// The URL of a load that is repeated without a second report to the page.
        var repeated: String?
        /// For tests: whether the next challenge is withdrawn, like one that arrives before its load began.
        package var isWithdrawingNext = false

        private struct WeakView { weak var view: WebPageView? }
        private static var views: [OpaquePointer: WeakView] = [:]

        /// The view that owns a `WebKitWebView`.
        static func of(_ view: OpaquePointer) -> WebPageView? { views[view]?.view }

        /// Called with the view of a new window before anything is loaded there.
        var onWindow: ((WebPageView) -> Void)?
        /// Called when the view of a new window is ready to be shown.
        var onReady: (() -> Void)?

        /// Creates a view.
        ///
        /// - Throws: ``ViewError`` if WebKitGTK is not installed, there is no display, or ``MainLoop`` does not run.
        public convenience init(
            context: WebViewContext = .shared, configuration: WebViewConfiguration = WebViewConfiguration()
        ) throws(ViewError) {
            try self.init(context, configuration, opensWindows: false)
        }

        /// - Parameter opensWindows: Whether WebKitGTK allows scripts to open windows without a click.
        convenience init(
            _ context: WebViewContext, _ configuration: WebViewConfiguration, opensWindows: Bool
        ) throws(ViewError) {
            let shared = try WebKitContext.of(context)
            let settings = opensWindows ? try shared.settingsAllowingWindows() : shared.settings
            try self.init(context, configuration, shared) { [library = shared.library] content in
                cwebkit_view_new(
                    library.functions, shared.context.pointer, shared.session.pointer, settings.pointer, content,
                    shared.autoplay)
            }
        }

        /// Creates the view of a window that a page of another view opens. They share a process, and their scripts can
        /// communicate.
        convenience init(openedBy opener: WebPageView) throws(ViewError) {
            let settings = try opener.context.settingsAllowingWindows()
            try self.init(opener.page.context, opener.page.configuration, opener.context) { content in
                cwebkit_view_new_related(
                    opener.library.functions, opener.view, settings.pointer, content, opener.context.autoplay)
            }
        }

        private init(
            _ context: WebViewContext, _ configuration: WebViewConfiguration, _ shared: WebKitContext,
            _ make: (OpaquePointer) -> OpaquePointer?
        ) throws(ViewError) {
            self.context = shared
            library = shared.library
            guard let content = library.functions.pointee.webkit_user_content_manager_new(), let view = make(content)
            else { throw ViewError(.failed, "WebKitGTK made no view") }
            self.content = WebKitObject(taking: content, library)
            self.view = view
            page = WebViewPage(context: context, configuration: configuration)
            let panel = try WebPanelView(over: view, library)
            self.panel = panel
            let (library, address) = (library, UInt(bitPattern: view))
            root = WebKitObject(taking: panel.root, library) { _ in
                guard let view = OpaquePointer(bitPattern: address) else { return }
                library.functions.pointee.webkit_web_view_stop_loading(view)
                MainActor.assumeIsolated { _ = Self.views.removeValue(forKey: OpaquePointer(bitPattern: address)!) }
            }
            Self.views[view] = WeakView(view: self)
            page.engine = self
            panel.onAnswer = { [weak page] id, answer in page?.pressed(id, answer) }
            connect()
            watchFrames()
        }

        /// Calls a closure with the `WebKitWebView`, for features that have no API here: zoom, printing, snapshots.
        ///
        /// To keep it longer than `body`, retain it.
        ///
        /// - Returns: The result of `body`.
        public func withWebView<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result { try body(view) }

        deinit {
            wakeTask?.cancel()
            let page = page
            DispatchQueue.main.async { MainActor.assumeIsolated { page.engineClosed() } }
        }

        /// Frames report their origin and whether they may capture, because WebKitGTK does not.
        private func watchFrames() {
            listen(to: FrameRegister.handler, world: FrameRegister.world, Self.frameMessageReceived)
            add(FrameRegister.script, world: FrameRegister.world, toAllFrames: true)
        }
    }

    extension WebPageView: WebEngine {
        func load(_ url: String) {
            let functions = library.functions.pointee
            let wanted = PageRequest(url, page.configuration)
            guard let request = functions.webkit_uri_request_new(wanted.url) else { return }
            switch wanted.cachePolicy {
            case .revalidate:
                context.clearMemoryCache()
                if let headers = functions.webkit_uri_request_get_http_headers(request) {
                    functions.soup_message_headers_replace(headers, "Cache-Control", "max-age=0")
                }
            }
            functions.webkit_web_view_load_request(view, request)
            functions.g_object_unref(UnsafeMutableRawPointer(request))
        }

        func show(html: String, insteadOf url: String) {
            library.functions.pointee.webkit_web_view_load_alternate_html(view, html, url, nil)
        }

        func reload() { library.functions.pointee.webkit_web_view_reload(view) }
        func stop() {
            early.stopped()
            repeated = nil
            library.functions.pointee.webkit_web_view_stop_loading(view)
        }
        var isLoading: Bool { library.functions.pointee.webkit_web_view_is_loading(view) != 0 }
        func goBack() { library.functions.pointee.webkit_web_view_go_back(view) }
        func goForward() { library.functions.pointee.webkit_web_view_go_forward(view) }

        func setCapture(_ kind: CaptureKind, _ state: CaptureState) {
            let functions = library.functions.pointee
            // WEBKIT_MEDIA_CAPTURE_STATE_NONE, _ACTIVE, _MUTED
            let number: UInt32 =
                switch state {
                case .none: 0
                case .active: 1
                case .muted: 2
                }
            switch kind {
            case .camera: functions.webkit_web_view_set_camera_capture_state(view, number)
            case .microphone: functions.webkit_web_view_set_microphone_capture_state(view, number)
            case .display: functions.webkit_web_view_set_display_capture_state(view, number)
            }
        }

        func canOpen(outside url: String) -> Bool {
            guard let scheme = URLScheme(of: url),
                let app = library.functions.pointee.g_app_info_get_default_for_uri_scheme(scheme.name)
            else { return false }
            library.functions.pointee.g_object_unref(UnsafeMutableRawPointer(app))
            return true
        }

        func open(outside url: String) {
            var error: OpaquePointer?
            if library.functions.pointee.g_app_info_launch_default_for_uri(url, nil, &error) == 0, let error {
                library.functions.pointee.g_error_free(error)
            }
        }

        /// Returns true: a widget can always be shown.
        func show(_ panel: WebPanel?) -> Bool {
            self.panel.show(panel)
            return true
        }

        /// Terminates the process, with the same consequences as a crash.
        @discardableResult
        package func endProcess() -> Bool {
            library.functions.pointee.webkit_web_view_terminate_web_process(view)
            return true
        }

        var asksAboutOwnPages: Bool { false }

        func addScript(_ source: String, world: String?) { add(source, world: world, toAllFrames: false) }

        private func add(_ source: String, world: String?, toAllFrames: Bool) {
            let functions = library.functions.pointee
            // WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES, _TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START
            let frames: UInt32 = toAllFrames ? 0 : 1
            let script =
                if let world {
                    functions.webkit_user_script_new_for_world(source, frames, 0, world, nil, nil)
                } else {
                    functions.webkit_user_script_new(source, frames, 0, nil, nil)
                }
            guard let script else { return }
            functions.webkit_user_content_manager_add_script(content.pointer, script)
            functions.webkit_user_script_unref(script)
        }

        func listen(to handler: String, world: String) { listen(to: handler, world: world, Self.messageReceived) }

        private typealias MessageHandler =
            @MainActor @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void

        private func listen(to handler: String, world: String, _ receive: @escaping MessageHandler) {
            library.connect(content.pointer, "script-message-received::\(handler)", to: self, receive)
            _ = library.functions.pointee.webkit_user_content_manager_register_script_message_handler(
                content.pointer, handler, world)
        }

        private static let messageReceived: MessageHandler = { _, value, data in
            guard let view = WebKitLibrary.target(data, WebPageView.self), let text = view.text(of: value) else {
                return
            }
            view.page.receiveMessage(text)
        }

        private static let frameMessageReceived: MessageHandler = { _, value, data in
            guard let view = WebKitLibrary.target(data, WebPageView.self), let text = view.text(of: value) else {
                return
            }
            view.page.watchFrames(text)
        }

        /// The text of a script's result; `nil` if it is no text.
        func text(of value: OpaquePointer) -> String? {
            let functions = library.functions.pointee
            guard functions.jsc_value_is_string(value) != 0, let text = functions.jsc_value_to_string(value) else {
                return nil
            }
            defer { functions.g_free(text) }
            return String(cString: text)
        }

        func evaluate(_ script: String, world: String) { evaluate(script, world: world) { _ in } }

        func ask(_ script: String, world: String, _ answer: @escaping (String?) -> Void) {
            evaluate(script, world: world, answer)
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

        var now: Instant { Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }
        var settingsPlace: SettingsPlace { .linux }
    }
#endif
