#if os(Linux) && WebKitGTK
    import CWebKit

    /// Windows that pages open. For a link, WebKitGTK emits `decide-policy` first; then, as for a script, `create` for the view.
    extension WebPageView {
        func connectWindows() {
            library.connect(view, "create", to: self, Self.create)
            library.connect(view, "ready-to-show", to: self, Self.readyToShow)
            library.connect(view, "close", to: self, Self.closed)
        }

        /// Allows the window of a link. Whether there is one is decided when its view is requested.
        func decideWindow(_ decision: OpaquePointer) { library.functions.pointee.webkit_policy_decision_use(decision) }

        private static let create: @MainActor @convention(c) (OpaquePointer, OpaquePointer, Data) -> OpaquePointer? = {
            _, action, data in
            WebKitLibrary.target(data, WebPageView.self)?.openWindow(action)
        }

        /// - Returns: The view of the new window, not owned by the caller; `nil` if there is none.
        private func openWindow(_ action: OpaquePointer) -> OpaquePointer? {
            let url = url(of: action)
            let isUserGesture = library.functions.pointee.webkit_navigation_action_is_user_gesture(action) != 0
            guard page.decideWindow(url, isUserGesture: isUserGesture) else { return nil }
            guard let onWindow, let opened = try? WebPageView(openedBy: self) else {
                page.refuseWindow(url)
                return nil
            }
            onWindow(opened)
            // The signal takes one reference, and WebKitGTK never releases the one of its copy: no reference is added here.
            return opened.view
        }

        private static let readyToShow: @MainActor @convention(c) (OpaquePointer, Data) -> Void = { _, data in
            WebKitLibrary.target(data, WebPageView.self)?.onReady?()
        }

        private static let closed: @MainActor @convention(c) (OpaquePointer, Data) -> Void = { _, data in
            WebKitLibrary.target(data, WebPageView.self)?.page.onClose?()
        }
    }
#endif
