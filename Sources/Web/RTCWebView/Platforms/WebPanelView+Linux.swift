#if os(Linux) && WebKitGTK
    import CWebKit
    import RTCViews

    /// The panel over a page: origin, text, an optional text field, and buttons. While it is shown, the page receives neither
    /// clicks nor keys.
    @MainActor
    final class WebPanelView {
        /// The overlay that contains the page; its first reader receives the reference.
        let root: OpaquePointer
        var onAnswer: ((WebPanel.ID, WebPanelAnswer) -> Void)?

        private let library: WebKitLibrary
        private let view: OpaquePointer
        private let widgets: WebWidgets
        private let backdrop, title, message, text, silence, cancel, accept: OpaquePointer
        private var actions: [WebAction] = []
        private var shown: WebPanel?

        /// - Parameter view: The web view, with a floating reference.
        init(over view: OpaquePointer, _ library: WebKitLibrary) throws(ViewError) {
            self.library = library
            self.view = view
            widgets = try WebWidgets(WebLayout.panel, library)
            root = try widgets.part("root")
            backdrop = try widgets.part("veil")
            title = try widgets.part("title")
            message = try widgets.part("message")
            text = try widgets.part("text")
            silence = try widgets.part("silence")
            cancel = try widgets.part("cancel")
            accept = try widgets.part("accept")
            let functions = library.functions.pointee
            _ = functions.g_object_ref(UnsafeMutableRawPointer(root))
            functions.gtk_overlay_set_child(root, view)
            actions = [
                WebAction(library, accept, "clicked") { [weak self] in self?.answer(.accept) },
                WebAction(library, cancel, "clicked") { [weak self] in self?.answer(.cancel) },
                WebAction(library, text, "activate") { [weak self] in self?.answer(.accept) },
            ]
        }

        func show(_ panel: WebPanel?) {
            let functions = library.functions.pointee
            shown = panel
            functions.gtk_widget_set_visible(backdrop, panel == nil ? 0 : 1)
            functions.gtk_widget_set_sensitive(view, panel == nil ? 1 : 0)
            guard let panel else {
                // Selected text owns X11's primary selection. If the next panel gave it up and claimed it again within a millisecond,
                // GDK would take the event of the first for the loss of the second, and its text would not be selected.
                functions.gtk_editable_set_text(text, "")
                _ = functions.gtk_widget_grab_focus(view)
                return
            }
            functions.gtk_label_set_text(title, panel.title)
            functions.gtk_label_set_text(message, panel.message)
            functions.gtk_widget_set_visible(message, panel.message.isEmpty ? 0 : 1)
            functions.gtk_widget_set_visible(text, panel.defaultText == nil ? 0 : 1)
            functions.gtk_editable_set_text(text, panel.defaultText ?? "")
            functions.gtk_widget_set_visible(silence, panel.canSuppressDialogs ? 1 : 0)
            functions.gtk_check_button_set_active(silence, 0)
            functions.gtk_button_set_label(accept, panel.acceptLabel)
            functions.gtk_widget_set_visible(cancel, panel.cancelLabel == nil ? 0 : 1)
            functions.gtk_button_set_label(cancel, panel.cancelLabel ?? "")
            // The Return key must not grant anything by accident.
            if panel.defaultText != nil {
                _ = functions.gtk_widget_grab_focus(text)
                functions.gtk_editable_select_region(text, 0, -1)
            } else if case .capture = panel.content {
                _ = functions.gtk_widget_grab_focus(cancel)
            } else {
                _ = functions.gtk_widget_grab_focus(accept)
            }
        }

        private func answer(_ choice: WebPanelAnswer.Choice) {
            guard let shown else { return }
            let functions = library.functions.pointee
            let text = functions.gtk_editable_get_text(text).map { String(cString: $0) } ?? ""
            let silences = functions.gtk_check_button_get_active(silence) != 0
            onAnswer?(shown.id, WebPanelAnswer(choice, text: text, suppressesDialogs: silences))
        }
    }
#endif
