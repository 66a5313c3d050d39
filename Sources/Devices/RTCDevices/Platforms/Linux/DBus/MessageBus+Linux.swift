#if os(Linux)
    import CGIO
    import Glibc
    import RTCWire
    import Synchronization

    /// A connection to a D-Bus, by GIO. Calls block; signals arrive on GIO's thread.
    final class MessageBus: @unchecked Sendable {
        /// The reason why a call failed.
        struct Failure: Error {
            /// The error's name on the bus, such as `org.freedesktop.DBus.Error.ServiceUnknown`; `nil` for an error of
            /// GIO.
            let name: String?
            let message: String

            /// Whether the called service, object or member does not exist, or the service cannot be started.
            var isAbsence: Bool {
                [
                    "ServiceUnknown", "NameHasNoOwner", "UnknownMethod", "UnknownInterface", "UnknownObject",
                    "UnknownProperty",
                ]
                .contains { name == "org.freedesktop.DBus.Error.\($0)" }
                    || name?.hasPrefix("org.freedesktop.DBus.Error.Spawn.") == true
            }

            /// Whether the reply timed out.
            var isSilence: Bool {
                ["Timeout", "TimedOut"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
            }

            /// Whether the service ended before it replied, which the bus reports immediately.
            var isEnd: Bool {
                ["NoReply", "Disconnected"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
            }
        }

        struct Signal {
            let interface: String
            let member: String
            let path: String
            let body: MessageValue?
        }

        private let functions: UnsafePointer<CGIOLibrary>
        private let connection: OpaquePointer
        private let filter: UInt32
        private let listeners: Listeners

        private static let library = Result { () throws(Failure) -> Functions in
            var reason = [CChar](repeating: 0, count: 512)
            guard let functions = cgio_load("libgio-2.0.so.0", &reason, reason.count) else {
                let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw Failure(name: nil, message: "GLib is missing (Debian: libglib2.0-0): \(text)")
            }
            return Functions(pointer: functions)
        }

        /// Connects to the session bus of the logged-in user.
        static func session() throws(Failure) -> MessageBus {
            // Without these, GIO would start its own bus.
            guard getenv("DBUS_SESSION_BUS_ADDRESS") != nil || getenv("XDG_RUNTIME_DIR") != nil else {
                throw Failure(name: nil, message: "there is no session bus (DBUS_SESSION_BUS_ADDRESS is not set)")
            }
            return try MessageBus(type: 2)
        }

        /// Connects to the system bus.
        static func system() throws(Failure) -> MessageBus { try MessageBus(type: 1) }

        private init(type: Int32) throws(Failure) {
            let functions = try Self.library.get().pointer
            self.functions = functions
            var error: OpaquePointer?
            guard let address = functions.pointee.g_dbus_address_get_for_bus_sync(type, nil, &error) else {
                throw Self.failure(error, functions)
            }
            defer { functions.pointee.g_free(address) }
            // G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT and …_MESSAGE_BUS_CONNECTION
            guard
                let connection = functions.pointee.g_dbus_connection_new_for_address_sync(
                    address, 1 | 8, nil, nil, &error)
            else { throw Self.failure(error, functions) }
            self.connection = connection
            let listeners = Listeners(functions)
            self.listeners = listeners
            filter = functions.pointee.g_dbus_connection_add_filter(
                connection,
                { _, message, isIncoming, data in
                    if isIncoming != 0, let message, let data {
                        Unmanaged<Listeners>.fromOpaque(data).takeUnretainedValue().handle(message)
                    }
                    return message
                }, Unmanaged.passRetained(listeners).toOpaque(),
                { data in if let data { Unmanaged<Listeners>.fromOpaque(data).release() } })
        }

        deinit {
            functions.pointee.g_dbus_connection_remove_filter(connection, filter)
            _ = functions.pointee.g_dbus_connection_close_sync(connection, nil, nil)
            functions.pointee.g_object_unref(UnsafeMutableRawPointer(connection))
        }

        /// This connection's own name, such as `:1.42`.
        var uniqueName: String {
            functions.pointee.g_dbus_connection_get_unique_name(connection).map { String(cString: $0) } ?? ""
        }

        var isClosed: Bool { functions.pointee.g_dbus_connection_is_closed(connection) != 0 }

        /// Calls a method, and waits for the reply.
        ///
        /// - Parameters:
        ///   - arguments: A tuple in the text format of GVariant. It must not contain text from outside.
        ///   - timeout: The longest wait.
        ///   - starts: Whether the bus may start the service.
        /// - Returns: The values of the reply.
        func call(
            _ name: String, _ path: String, _ interface: String, _ method: String, _ arguments: String = "()",
            timeout: TimeDelta, starts: Bool = true
        ) throws(Failure) -> MessageValue {
            try call(name, path, interface, method, arguments, timeout, starts).value
        }

        /// Calls a method whose reply contains a file descriptor, which the caller then owns.
        func callForDescriptor(
            _ name: String, _ path: String, _ interface: String, _ method: String, _ arguments: String,
            timeout: TimeDelta
        ) throws(Failure) -> Int32 {
            let reply = try call(name, path, interface, method, arguments, timeout, true)
            guard let list = reply.descriptors, let index = reply.value[0]?.handle else {
                throw Failure(name: nil, message: "\(method) brought no file descriptor")
            }
            var error: OpaquePointer?
            let descriptor = functions.pointee.g_unix_fd_list_get(list.pointer, index, &error)
            guard descriptor >= 0 else { throw Self.failure(error, functions) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        }

        private func call(
            _ name: String, _ path: String, _ interface: String, _ method: String, _ arguments: String,
            _ timeout: TimeDelta, _ starts: Bool
        ) throws(Failure) -> (value: MessageValue, descriptors: Descriptors?) {
            var error: OpaquePointer?
            guard let parsed = functions.pointee.g_variant_parse(nil, arguments, nil, nil, &error) else {
                throw Self.failure(error, functions)
            }
            var list: OpaquePointer?
            // G_DBUS_CALL_FLAGS_NO_AUTO_START is 1. The call takes over the floating reference of the arguments.
            let reply = functions.pointee.g_dbus_connection_call_with_unix_fd_list_sync(
                connection, name, path, interface, method, parsed, nil, starts ? 0 : 1,
                Int32(clamping: timeout.milliseconds), nil, &list, nil, &error)
            functions.pointee.g_variant_unref(parsed)
            let descriptors = list.map { Descriptors(pointer: $0, functions: functions) }
            guard let reply else { throw Self.failure(error, functions) }
            return (MessageValue(taking: reply, functions), descriptors)
        }

        /// A subscription to signals.
        struct Listening {
            fileprivate let rule: String
            fileprivate let number: Int
        }

        /// Subscribes to matching signals, until the subscription ends or the bus is released.
        ///
        /// - Parameters:
        ///   - rule: A match rule of D-Bus, such as `type='signal',member='Response'`.
        ///   - body: Called on GIO's thread, with all signals that this connection receives.
        /// - Returns: The subscription to pass to ``end(_:)``.
        func listen(_ rule: String, _ body: @escaping @Sendable (Signal) -> Void) throws(Failure) -> Listening {
            let listening = Listening(rule: rule, number: listeners.add(body))
            do throws(Failure) {
                try match("AddMatch", rule)
            } catch {
                listeners.remove(listening.number)
                throw error
            }
            return listening
        }

        /// Ends a subscription; one signal may still be delivered.
        func end(_ listening: Listening) {
            listeners.remove(listening.number)
            try? match("RemoveMatch", listening.rule)
        }

        private func match(_ method: String, _ rule: String) throws(Failure) {
            let bus = "org.freedesktop.DBus"
            _ = try call(bus, "/org/freedesktop/DBus", bus, method, "(\"\(rule)\",)", timeout: .seconds(5))
        }

        /// Whether the name has an owner, or can be activated by a call.
        func knows(_ name: String) -> Bool {
            let bus = "org.freedesktop.DBus"
            for method in ["ListNames", "ListActivatableNames"] {
                guard
                    let names = try? call(bus, "/org/freedesktop/DBus", bus, method, timeout: .milliseconds(500))[0]
                else { continue }
                if names.contains(where: { $0.text == name }) { return true }
            }
            return false
        }

        private static func failure(_ error: OpaquePointer?, _ functions: UnsafePointer<CGIOLibrary>) -> Failure {
            guard let error else { return Failure(name: nil, message: "it gives no reason") }
            defer { functions.pointee.g_error_free(error) }
            var name: String?
            if let text = functions.pointee.g_dbus_error_get_remote_error(error) {
                name = String(cString: text)
                functions.pointee.g_free(text)
            }
            _ = functions.pointee.g_dbus_error_strip_remote_error(error)
            let message = String(cString: cgio_error_message(error))
            // GIO's text for a reply that timed out.
            if name == nil, message.lowercased().contains("timeout") {
                name = "org.freedesktop.DBus.Error.Timeout"
            }
            return Failure(name: name, message: message)
        }

        private struct Functions: @unchecked Sendable {
            let pointer: UnsafePointer<CGIOLibrary>
        }

        /// The file descriptors of a message.
        private final class Descriptors {
            let pointer: OpaquePointer
            let functions: UnsafePointer<CGIOLibrary>

            init(pointer: OpaquePointer, functions: UnsafePointer<CGIOLibrary>) {
                self.pointer = pointer
                self.functions = functions
            }

            deinit { functions.pointee.g_object_unref(UnsafeMutableRawPointer(pointer)) }
        }

        /// The listeners for signals.
        private final class Listeners: @unchecked Sendable {
            private let functions: UnsafePointer<CGIOLibrary>
            private let bodies = Mutex<(next: Int, all: [Int: @Sendable (Signal) -> Void])>((0, [:]))

            init(_ functions: UnsafePointer<CGIOLibrary>) { self.functions = functions }

            func add(_ body: @escaping @Sendable (Signal) -> Void) -> Int {
                bodies.withLock { bodies in
                    bodies.next += 1
                    bodies.all[bodies.next] = body
                    return bodies.next
                }
            }

            func remove(_ number: Int) {
                // Release the closure outside the lock.
                let body = bodies.withLock { $0.all.removeValue(forKey: number) }
                withExtendedLifetime(body) {}
            }

            func handle(_ message: OpaquePointer) {
                let functions = functions.pointee
                // G_DBUS_MESSAGE_TYPE_SIGNAL
                guard functions.g_dbus_message_get_message_type(message) == 4,
                    let interface = functions.g_dbus_message_get_interface(message),
                    let member = functions.g_dbus_message_get_member(message),
                    let path = functions.g_dbus_message_get_path(message)
                else { return }
                let body = functions.g_dbus_message_get_body(message).flatMap(functions.g_variant_ref).map {
                    MessageValue(taking: $0, self.functions)
                }
                let signal = Signal(
                    interface: String(cString: interface), member: String(cString: member), path: String(cString: path),
                    body: body)
                let listeners = bodies.withLock { bodies in bodies.all.sorted { $0.key < $1.key }.map(\.value) }
                for listener in listeners { listener(signal) }
            }
        }
    }

    /// A value of a message. Each accessor returns `nil` for a value of another type.
    final class MessageValue: @unchecked Sendable {
        private let pointer: OpaquePointer
        private let functions: UnsafePointer<CGIOLibrary>

        /// - Parameter pointer: A reference, which this object takes over.
        init(taking pointer: OpaquePointer, _ functions: UnsafePointer<CGIOLibrary>) {
            self.pointer = pointer
            self.functions = functions
        }

        deinit { functions.pointee.g_variant_unref(pointer) }

        private var type: String {
            functions.pointee.g_variant_get_type_string(pointer).map { String(cString: $0) } ?? ""
        }

        var text: String? {
            guard ["s", "o", "g"].contains(type) else { return nil }
            return functions.pointee.g_variant_get_string(pointer, nil).map { String(cString: $0) }
        }

        var number: UInt32? { type == "u" ? functions.pointee.g_variant_get_uint32(pointer) : nil }
        var boolean: Bool? { type == "b" ? functions.pointee.g_variant_get_boolean(pointer) != 0 : nil }
        var handle: Int32? { type == "h" ? functions.pointee.g_variant_get_handle(pointer) : nil }

        /// The content of a value of type `v`.
        var content: MessageValue? {
            guard type == "v", let child = functions.pointee.g_variant_get_variant(pointer) else { return nil }
            return MessageValue(taking: child, functions)
        }

        private var count: Int {
            type.contains { "a({".contains($0) } ? Int(functions.pointee.g_variant_n_children(pointer)) : 0
        }

        /// An element of a tuple, an array or an entry.
        subscript(_ index: Int) -> MessageValue? {
            guard index >= 0, index < count,
                let child = functions.pointee.g_variant_get_child_value(pointer, index)
            else { return nil }
            return MessageValue(taking: child, functions)
        }

        func contains(where isMatch: (MessageValue) -> Bool) -> Bool {
            (0..<count).contains { index in self[index].map(isMatch) ?? false }
        }

        /// The value for a key of an `a{sv}`.
        subscript(_ key: String) -> MessageValue? {
            for index in 0..<count {
                guard let entry = self[index], entry[0]?.text == key else { continue }
                return entry[1]?.content
            }
            return nil
        }
    }
#endif
