#if os(Linux) && WebKitGTK
    import CWebKit
    public import RTCViews

    /// A window with a web view and a bar: back, forward, reload, the origin of the page, its capture state, and the
    /// progress of loading.
    @MainActor
    public final class WebWindow {
        public let view: WebPageView
        /// The buttons of the bar.
        public enum Bar: Sendable, Hashable {
            /// Back, forward and reload.
            case navigation
            /// Cancel, for a sign-in or another task with an end.
            case task
        }
        /// Called when the person closes the window, or presses Cancel.
        public var onClose: (() -> Void)?

        private let library: WebKitLibrary
        private let widgets: WebWidgets
        private let window, address, progress, spinner, back, forward, reload, microphone, camera: OpaquePointer
        private var actions: [WebAction] = []
        private var isClosed = false
        private var isSettingButtons = false
        private let name: String
        /// Whether to show a spinner, which is drawn continuously; a browser's window has the progress bar instead.
        private let hasSpinner: Bool

        /// Opens a window.
        ///
        /// - Parameters:
        ///   - title: The title, in addition to that of the page.
        ///   - size: The initial size in device-independent pixels.
        /// - Throws: ``ViewError`` `failed`.
        public init(
            _ view: WebPageView, title: String, bar: Bar = .navigation, size: (width: Int, height: Int) = (1_000, 720)
        ) throws(ViewError) {
            self.view = view
            name = title
            hasSpinner = bar == .task
            library = view.library
            widgets = try WebWidgets(WebLayout.window, library)
            window = try widgets.part("window")
            address = try widgets.part("address")
            progress = try widgets.part("progress")
            spinner = try widgets.part("spinner")
            back = try widgets.part("back")
            forward = try widgets.part("forward")
            reload = try widgets.part("reload")
            microphone = try widgets.part("microphone")
            camera = try widgets.part("camera")
            let cancel = try widgets.part("cancel")
            let functions = library.functions.pointee
            functions.gtk_box_append(try widgets.part("content"), view.widget)
            functions.gtk_window_set_default_size(window, Int32(clamping: size.width), Int32(clamping: size.height))
            for button in [back, forward, reload] {
                functions.gtk_widget_set_visible(button, bar == .navigation ? 1 : 0)
            }
            functions.gtk_widget_set_visible(cancel, bar == .task ? 1 : 0)
            actions = [
                WebAction(library, back, "clicked") { [weak self] in self?.view.page.goBack() },
                WebAction(library, forward, "clicked") { [weak self] in self?.view.page.goForward() },
                WebAction(library, reload, "clicked") { [weak self] in self?.reloadOrStop() },
                WebAction(library, cancel, "clicked") { [weak self] in self?.onClose?() },
                WebAction(library, window, settling: "close-request") { [weak self] in self?.onClose?() },
                WebAction(library, microphone, "toggled") { [weak self] in self?.toggled(.microphone) },
                WebAction(library, camera, "toggled") { [weak self] in self?.toggled(.camera) },
            ]
            let before = view.page.onEvent
            view.page.onEvent = { [weak self] event in
                before?(event)
                self?.show()
            }
            show()
            functions.gtk_window_present(window)
        }

        /// Closes the window. Closing twice does nothing.
        public func close() {
            guard !isClosed else { return }
            isClosed = true
            view.page.stop()
            library.functions.pointee.gtk_window_destroy(window)
        }

        private func reloadOrStop() {
            if view.page.isLoading { view.page.stop() } else { view.page.reload() }
        }

        private func toggled(_ kind: CaptureKind) {
            guard !isSettingButtons else { return }
            view.page.setMuted(kind, view.page.captureStates[kind] == .active)
        }

        private func show() {
            guard !isClosed else { return }
            let functions = library.functions.pointee
            let page = view.page
            functions.gtk_window_set_title(window, page.title.isEmpty ? name : "\(page.title) – \(name)")
            functions.gtk_label_set_text(address, page.place ?? "")
            functions.gtk_widget_set_sensitive(back, page.canGoBack ? 1 : 0)
            functions.gtk_widget_set_sensitive(forward, page.canGoForward ? 1 : 0)
            functions.gtk_button_set_label(reload, page.isLoading ? "✕" : "↻")
            functions.gtk_widget_set_tooltip_text(reload, page.isLoading ? "Stop" : "Reload")
            functions.gtk_widget_set_visible(spinner, hasSpinner && page.isLoading ? 1 : 0)
            functions.gtk_progress_bar_set_fraction(progress, page.isLoading ? page.progress : 0)
            isSettingButtons = true
            for (kind, button) in [(CaptureKind.microphone, microphone), (.camera, camera)] {
                let state = page.captureStates[kind] ?? .none
                let word = kind == .camera ? "Camera" : "Microphone"
                functions.gtk_widget_set_visible(button, state == .none ? 0 : 1)
                functions.gtk_toggle_button_set_active(button, state == .muted ? 1 : 0)
                functions.gtk_button_set_label(button, state == .muted ? "\(word) muted" : "\(word) on")
            }
            isSettingButtons = false
        }
    }
#endif
