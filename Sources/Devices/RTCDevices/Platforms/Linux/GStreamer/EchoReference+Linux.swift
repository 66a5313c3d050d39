#if os(Linux)
    import RTCWire
    import Synchronization

    /// The audio that loudspeakers play, for the microphones that have to cancel its echo.
    final class EchoReference: Sendable {
        typealias Listener = @Sendable (UnsafeBufferPointer<Int16>, Instant) -> Void

        static let shared = EchoReference()

        private struct State {
            var listeners: [Int: Listener] = [:]
            var next = 0
        }

        private let state = Mutex(State())

        func add(_ listener: @escaping Listener) -> Int {
            state.withLock { state in
                state.next += 1
                state.listeners[state.next] = listener
                return state.next
            }
        }

        func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }

        /// - Parameters:
        ///   - samples: Interleaved stereo at 48 kHz.
        ///   - time: When the first sample is audible.
        func plays(_ samples: UnsafeBufferPointer<Int16>, at time: Instant) {
            let listeners = state.withLock { $0.listeners }
            for listener in listeners.values { listener(samples, time) }
        }
    }
#endif
