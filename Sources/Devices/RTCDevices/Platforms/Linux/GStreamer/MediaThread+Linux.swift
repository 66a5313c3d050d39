#if os(Linux)
    import CGStreamer
    import Glibc
    package import RTCWire

    /// Starts the threads of devices and media files, and lets them wait.
    package enum MediaThread {
        private final class Body {
            let name: String
            let run: @Sendable () -> Void

            init(_ name: String, _ run: @escaping @Sendable () -> Void) {
                self.name = name
                self.run = run
            }
        }

        /// Runs `body` on a new thread.
        ///
        /// - Parameter name: Up to 15 characters, for debuggers.
        /// - Returns: False if the system cannot create a thread; `body` then does not run.
        @discardableResult
        package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
            defer { pthread_attr_destroy(&attributes) }
            let retained = Unmanaged.passRetained(Body(name, body)).toOpaque()
            var thread = pthread_t()
            let status = pthread_create(
                &thread, &attributes,
                { argument in
                    guard let argument else { return nil }
                    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                    cgst_name_thread(body.name)
                    body.run()
                    return nil
                }, retained)
            if status != 0 { Unmanaged<Body>.fromOpaque(retained).release() }
            return status == 0
        }

        /// The error if a thread cannot be created.
        package static let refusal = DeviceError(
            .failed, "the system gives this program no more threads; see its limits (ulimit -u), and what else it runs")

        package static func sleep(_ time: TimeDelta) {
            guard time.nanoseconds > 0 else { return }
            var request = timespec(
                tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
            var rest = timespec()
            while nanosleep(&request, &rest) != 0, errno == EINTR { request = rest }
        }
    }
#endif
