#if os(Linux)
    import CGTK
    import Dispatch

    /// GTK, loaded when the first window is asked for.
    struct GTKLibrary: @unchecked Sendable {
        /// Never freed, never changed. Whatever begins with `gtk_` or `gdk_` may be called on the main thread alone.
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

    /// A reference to an object of GTK's, given up on the main thread, wherever the last holder lets it go.
    final class GTKObject: @unchecked Sendable {
        let pointer: OpaquePointer
        private let gtk: GTKLibrary

        /// - Parameter pointer: An object to which a reference is taken.
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

        /// Calls `action` at each `signal` of an object, as long as the object lives.
        ///
        /// - Parameters:
        ///   - signal: One without arguments of its own.
        ///   - isHandled: What to answer a signal that asks whether the matter is settled.
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

        /// Calls `action` each time that a property of an object has changed, as long as the object lives.
        @MainActor func observe(
            _ object: OpaquePointer, property: String, _ action: @escaping @MainActor () -> Void
        ) {
            typealias Callback =
                @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
            let call: Callback = { data, _, _ in _ = Self.perform(data, 0) }
            // G_CONNECT_SWAPPED: what is ours comes first, whatever arguments the signal has.
            _ = functions.pointee.g_signal_connect_data(
                UnsafeMutableRawPointer(object), "notify::\(property)", unsafeBitCast(call, to: GCallback.self),
                Unmanaged.passRetained(Handler(action)).toOpaque(),
                { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } }, 2)
        }

        private static func perform(_ data: UnsafeMutableRawPointer?, _ answer: Int32) -> Int32 {
            guard let data else { return answer }
            // Held, for the action may destroy the object, and the handler with it.
            let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { handler.action() }
            return answer
        }
    }
#endif
