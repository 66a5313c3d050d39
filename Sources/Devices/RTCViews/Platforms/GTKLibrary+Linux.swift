#if os(Linux)
    import CGTK
    import Dispatch

    /// GTK, loaded when the first window is opened.
    struct GTKLibrary: @unchecked Sendable {
        /// Never freed, never changed. Functions that begin with `gtk_` or `gdk_` may be called on the main thread
        /// alone.
        let functions: UnsafePointer<CGTKLibrary>

        static let shared = Result { () throws(ViewError) in try GTKLibrary(name: "libgtk-4.so.1") }

        /// - Throws: ``ViewError`` `unavailable`.
        init(name: String) throws(ViewError) {
            var reason = [CChar](repeating: 0, count: 512)
            guard let functions = cgtk_load(name, &reason, reason.count) else {
                let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw ViewError(
                    .unavailable, "no window can be opened without GTK 4; install it (Debian: libgtk-4-1): \(text)")
            }
            self.functions = functions
        }

        /// Connects to the display. Does nothing when it is connected.
        ///
        /// - Throws: ``ViewError`` `noDisplay`.
        @MainActor func open() throws(ViewError) {
            guard functions.pointee.gtk_init_check() != 0, functions.pointee.gdk_display_get_default() != nil else {
                throw ViewError(
                    .noDisplay,
                    "no window can be opened without a screen: neither WAYLAND_DISPLAY nor DISPLAY names one that answers"
                )
            }
        }
    }

    /// A reference to a GTK object, released on the main thread, on whichever thread the last holder releases it.
    final class GTKObject: @unchecked Sendable {
        let pointer: OpaquePointer
        private let gtk: GTKLibrary

        /// - Parameter pointer: The object to retain.
        init(_ pointer: OpaquePointer, _ gtk: GTKLibrary) {
            self.pointer = pointer
            self.gtk = gtk
            _ = gtk.functions.pointee.g_object_ref(UnsafeMutableRawPointer(pointer))
        }

        deinit {
            let (gtk, address) = (gtk, UInt(bitPattern: pointer))
            DispatchQueue.main.async {
                gtk.functions.pointee.g_object_unref(UnsafeMutableRawPointer(bitPattern: address))
            }
        }
    }

    extension GTKLibrary {
        private final class Handler: Sendable {
            let action: @MainActor () -> Void

            init(_ action: @escaping @MainActor () -> Void) { self.action = action }
        }

        /// Calls `action` for each `signal` of an object, for the lifetime of the object.
        ///
        /// - Parameters:
        ///   - signal: A signal without arguments.
        ///   - isHandled: The return value for a signal that asks whether it was handled.
        @MainActor func connect(
            _ object: OpaquePointer, _ signal: String, isHandled: Bool = false,
            _ action: @escaping @MainActor () -> Void
        ) {
            typealias Callback = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
            let call: Callback = isHandled ? { Self.perform($1, 1) } : { Self.perform($1, 0) }
            _ = functions.pointee.g_signal_connect_data(
                UnsafeMutableRawPointer(object), signal, unsafeBitCast(call, to: GCallback.self),
                Unmanaged.passRetained(Handler(action)).toOpaque(),
                { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } }, 0)
        }

        /// Calls `action` on each change of a property of an object, for the lifetime of the object.
        @MainActor func observe(
            _ object: OpaquePointer, property: String, _ action: @escaping @MainActor () -> Void
        ) {
            typealias Callback =
                @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
            let call: Callback = { data, _, _ in _ = Self.perform(data, 0) }
            // G_CONNECT_SWAPPED: the handler comes first, whatever the signal's arguments.
            _ = functions.pointee.g_signal_connect_data(
                UnsafeMutableRawPointer(object), "notify::\(property)", unsafeBitCast(call, to: GCallback.self),
                Unmanaged.passRetained(Handler(action)).toOpaque(),
                { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } }, 2)
        }

        private static func perform(_ data: UnsafeMutableRawPointer?, _ answer: Int32) -> Int32 {
            guard let data else { return answer }
            // Retained, since the action may destroy the object, and the handler with it.
            let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { handler.action() }
            return answer
        }
    }
#endif
