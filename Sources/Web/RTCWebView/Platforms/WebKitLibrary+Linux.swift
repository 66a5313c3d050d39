#if os(Linux) && WebKitGTK
    import CWebKit
    import Dispatch
    import RTCViews

    /// WebKitGTK, loaded when the first web view is created.
    struct WebKitLibrary: @unchecked Sendable {
        /// Never freed, never changed. All functions may be called on the main thread only.
        let functions: UnsafePointer<CWebKitLibrary>

        private static let shared = Result { () throws(ViewError) in try WebKitLibrary(name: "libwebkitgtk-6.0.so.4") }

        /// - Throws: ``ViewError`` `unavailable`.
        init(name: String) throws(ViewError) {
            var reason = [CChar](repeating: 0, count: 512)
            guard let functions = cwebkit_load(name, &reason, reason.count) else {
                let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw ViewError(
                    .unavailable,
                    "no web page can be shown without WebKitGTK 6.0; install it (Debian: libwebkitgtk-6.0-4): \(text)")
            }
            self.functions = functions
        }

        /// Loads it, and connects to the screen.
        ///
        /// - Throws: ``ViewError`` when it or GTK is missing, there is no screen, or ``MainLoop`` does not run.
        @MainActor static func open() throws(ViewError) -> WebKitLibrary {
            // GTK is opened first, so that both use the same library.
            try MainLoop.openDisplay()
            return try shared.get()
        }
    }

    /// A reference to a GObject, which is released on the main thread, wherever its last holder releases it.
    final class WebKitObject: @unchecked Sendable {
        let pointer: OpaquePointer
        private let library: WebKitLibrary
        private let clean: (@Sendable (OpaquePointer) -> Void)?

        /// - Parameters:
        ///   - pointer: An object whose reference is transferred.
        ///   - clean: Called before it is released, on the main thread.
        init(taking pointer: OpaquePointer, _ library: WebKitLibrary, clean: (@Sendable (OpaquePointer) -> Void)? = nil)
        {
            self.pointer = pointer
            self.library = library
            self.clean = clean
        }

        deinit {
            let (library, address, clean) = (library, UInt(bitPattern: pointer), clean)
            DispatchQueue.main.async {
                guard let pointer = OpaquePointer(bitPattern: address) else { return }
                clean?(pointer)
                library.functions.pointee.g_object_unref(UnsafeMutableRawPointer(pointer))
            }
        }
    }

    extension WebKitLibrary {
        /// The user data of a signal handler.
        final class Receiver {
            weak var target: AnyObject?
            init(_ target: AnyObject) { self.target = target }
        }

        /// Calls `handler` for each `signal` of an object, as long as the object lives. It is a C function, whose last argument
        /// is a ``Receiver`` with a weak reference to `target`.
        @discardableResult
        func connect<Handler>(_ object: OpaquePointer, _ signal: String, to target: AnyObject, _ handler: Handler)
            -> UInt
        {
            functions.pointee.g_signal_connect_data(
                UnsafeMutableRawPointer(object), signal, unsafeBitCast(handler, to: GCallback.self),
                Unmanaged.passRetained(Receiver(target)).toOpaque(),
                { data, _ in if let data { Unmanaged<Receiver>.fromOpaque(data).release() } }, 0)
        }

        /// The target of a signal, if it still exists.
        static func target<Target: AnyObject>(_ data: UnsafeMutableRawPointer?, _ type: Target.Type) -> Target? {
            data.flatMap { Unmanaged<Receiver>.fromOpaque($0).takeUnretainedValue().target as? Target }
        }
    }
#endif
