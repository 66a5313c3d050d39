#if os(Linux)
    import RTCWire
    import Synchronization

    /// The desktop portal for cameras, `org.freedesktop.portal.Camera`: it asks the person for permission, and provides
    /// a PipeWire connection that contains only cameras. Calls block.
    final class CameraPortal: Sendable {
        enum Answer: Equatable {
            case granted
            case refused
            /// The dialog was closed without an answer, or the portal ended.
            case dismissed
            /// No answer came in time.
            case silence
            /// There is no such portal.
            case absent
        }

        private let bus: MessageBus
        private static let name = "org.freedesktop.portal.Desktop"
        private static let path = "/org/freedesktop/portal/desktop"
        private static let interface = "org.freedesktop.portal.Camera"
        /// Gives each request a unique token.
        private static let count = Atomic(0)
        /// The longest wait for a service to start and reply. An answer by the person may take longer.
        private static let patience = TimeDelta.seconds(5)

        /// - Returns: `nil` where there is no session bus, or no portal on it.
        init?() {
            guard let bus = try? MessageBus.session(), bus.knows(Self.name) else { return nil }
            self.bus = bus
        }

        var isAlive: Bool { !bus.isClosed }

        /// Whether the portal reports a camera; `nil` if it does not say.
        func isCameraPresent(timeout: TimeDelta = patience) throws(MessageBus.Failure) -> Bool? {
            try bus.call(
                Self.name, Self.path, "org.freedesktop.DBus.Properties", "Get",
                "('\(Self.interface)', 'IsCameraPresent')", timeout: timeout
            )[0]?.content?.boolean
        }

        /// Asks the person for permission, and waits for the answer.
        ///
        /// - Parameter timeout: The time within which the person has to answer.
        func access(timeout: TimeDelta) -> Answer {
            let token = "duet_\(Self.count.add(1, ordering: .relaxed).newValue)"
            let sender = bus.uniqueName.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
            // The request's path is known before the answer can come.
            let expected = "\(Self.path)/request/\(sender)/\(token)"
            let response = PortalResponse(path: expected)
            var listening: [MessageBus.Listening] = []
            defer { listening.forEach { bus.end($0) } }
            do {
                listening += [
                    try bus.listen("type='signal',interface='org.freedesktop.portal.Request',member='Response'") {
                        response.handle($0)
                    },
                    try bus.listen("type='signal',member='NameOwnerChanged',arg0='\(Self.name)'") { signal in
                        guard signal.member == "NameOwnerChanged", signal.body?[0]?.text == Self.name,
                            signal.body?[2]?.text?.isEmpty == true
                        else { return }
                        response.end()
                    },
                ]
                let reply = try bus.call(
                    Self.name, Self.path, Self.interface, "AccessCamera", "({'handle_token': <'\(token)'>},)",
                    timeout: min(timeout, Self.patience))
                // Old portals choose the path themselves.
                if let path = reply[0]?.text { response.expect(path) }
            } catch {
                return error.isAbsence ? .absent : error.isSilence ? .silence : error.isEnd ? .dismissed : .refused
            }
            switch response.wait(timeout) {
            case 0: return .granted
            case 1: return .refused
            case nil: return .silence
            default: return .dismissed
            }
        }

        /// Opens a PipeWire connection that contains only cameras; the caller owns it.
        func openPipeWireRemote() throws(MessageBus.Failure) -> Int32 {
            try bus.callForDescriptor(
                Self.name, Self.path, Self.interface, "OpenPipeWireRemote", "(@a{sv} {},)", timeout: Self.patience)
        }

        /// Calls `body` when the portal starts or ends.
        func observe(_ body: @escaping @Sendable () -> Void) {
            _ = try? bus.listen("type='signal',member='NameOwnerChanged',arg0='\(Self.name)'") { signal in
                if signal.member == "NameOwnerChanged", signal.body?[0]?.text == Self.name { body() }
            }
        }
    }

    /// Waits for the answer to one request.
    private final class PortalResponse: Sendable {
        private struct State {
            var paths: Set<String>
            /// Answers that arrived before their path was known.
            var early: [String: UInt32] = [:]
            var answer: UInt32?
        }

        private let state: Mutex<State>
        private let gate = ThreadGate()

        init(path: String) { state = Mutex(State(paths: [path])) }

        func expect(_ path: String) {
            let isAnswered = state.withLock { state in
                state.paths.insert(path)
                if let answer = state.early[path] { state.answer = state.answer ?? answer }
                return state.answer != nil
            }
            if isAnswered { gate.open() }
        }

        func handle(_ signal: MessageBus.Signal) {
            guard signal.member == "Response", let answer = signal.body?[0]?.number else { return }
            let isAnswered = state.withLock { state in
                if state.paths.contains(signal.path) {
                    state.answer = state.answer ?? answer
                } else if state.early.count < 16 {
                    state.early[signal.path] = answer
                }
                return state.answer != nil
            }
            if isAnswered { gate.open() }
        }

        /// Ends the wait: no answer will come any more.
        func end() {
            state.withLock { $0.answer = $0.answer ?? 2 }
            gate.open()
        }

        func wait(_ timeout: TimeDelta) -> UInt32? {
            gate.wait(timeout)
            return state.withLock { $0.answer }
        }
    }
#endif
