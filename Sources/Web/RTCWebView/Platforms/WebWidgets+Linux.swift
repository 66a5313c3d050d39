#if os(Linux) && WebKitGTK
    import CWebKit
    import RTCViews

    /// Widgets created by GTK's builder, by name.
    @MainActor
    struct WebWidgets {
        private let library: WebKitLibrary
        private let builder: WebKitObject
        private static var isStyled = false

        /// - Throws: ``ViewError`` `failed`, only for an invalid description.
        init(_ description: String, _ library: WebKitLibrary) throws(ViewError) {
            self.library = library
            let functions = library.functions.pointee
            if !Self.isStyled, let provider = functions.gtk_css_provider_new() {
                functions.gtk_css_provider_load_from_data(provider, WebLayout.style, -1)
                // GTK_STYLE_PROVIDER_PRIORITY_APPLICATION
                functions.gtk_style_context_add_provider_for_display(functions.gdk_display_get_default(), provider, 600)
                functions.g_object_unref(UnsafeMutableRawPointer(provider))
                Self.isStyled = true
            }
            guard let builder = functions.gtk_builder_new() else { throw ViewError(.failed, "GTK made no builder") }
            self.builder = WebKitObject(taking: builder, library)
            var error: OpaquePointer?
            guard functions.gtk_builder_add_from_string(builder, description, -1, &error) != 0 else {
                let reason = error.map { String(cString: cwebkit_error_message($0)) } ?? "no reason given"
                if let error { functions.g_error_free(error) }
                throw ViewError(.failed, "GTK does not understand the panel: \(reason)")
            }
        }

        /// A widget that lives as long as its parent.
        func part(_ name: String) throws(ViewError) -> OpaquePointer {
            guard let object = library.functions.pointee.gtk_builder_get_object(builder.pointer, name) else {
                throw ViewError(.failed, "there is no part called \(name)")
            }
            return object
        }
    }

    /// An action for a signal without arguments, retained by its user.
    @MainActor
    final class WebAction {
        private let action: () -> Void

        init(_ library: WebKitLibrary, _ object: OpaquePointer, _ signal: String, _ action: @escaping () -> Void) {
            self.action = action
            let call: @MainActor @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void = { _, data in
                WebKitLibrary.target(data, WebAction.self)?.action()
            }
            library.connect(object, signal, to: self, call)
        }

        /// For a signal that asks whether it was handled: it was.
        init(
            _ library: WebKitLibrary, _ object: OpaquePointer, settling signal: String, _ action: @escaping () -> Void
        ) {
            self.action = action
            let call: @MainActor @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Int32 = { _, data in
                WebKitLibrary.target(data, WebAction.self)?.action()
                return 1
            }
            library.connect(object, signal, to: self, call)
        }
    }
#endif
