#if os(Linux)
    import CGStreamer
    import RTCWire
    import Synchronization

    /// The common part of cameras and microphones: the pipeline, which plays while capture is started; the thread that
    /// takes its samples; and the registration for the device's removal.
    ///
    /// GStreamer reports neither an error nor the end of the stream when a device is unplugged: ``DeviceHub`` reports
    /// the removal.
    final class CaptureLoop: @unchecked Sendable {
        private struct State {
            var isWanted = false
            var isClosed = false
            /// The device is disconnected, or has failed.
            var isOver = false
            var hasThread = false
            var waiting: [CheckedContinuation<Void, Never>] = []
            var registration: Int?

            var mustPlay: Bool { isWanted && !isClosed && !isOver }
        }

        private let device: MediaDevice
        // The pipeline must be released before the connection that it uses.
        private let connection: ServerWatch?
        private let pipeline: Pipeline
        private let sink: GStreamerObject
        private let events: CaptureEvents
        /// Takes a sample, without ownership.
        private let take: @Sendable (OpaquePointer) -> Void
        private let state = Mutex(State())

        /// Opens the device; blocks until it is open.
        ///
        /// - Parameters:
        ///   - pipeline: A pipeline that contains an appsink called `sink`.
        ///   - take: Called on the loop's thread with each sample, without ownership.
        /// - Throws: ``DeviceError``
        init(
            _ device: MediaDevice, _ pipeline: Pipeline, _ connection: ServerWatch?, events: CaptureEvents,
            take: @escaping @Sendable (OpaquePointer) -> Void
        ) throws(DeviceError) {
            self.device = device
            self.pipeline = pipeline
            self.connection = connection
            self.events = events
            self.take = take
            sink = try pipeline.element("sink")
            guard pipeline.setState(.ready) else {
                var reason = "it cannot be opened"
                if case .error(let text)? = pipeline.nextMessage(timeout: 0) { reason = text }
                throw Self.error(device, reason)
            }
            connection?.closeLocalCopy()
            // In all pipelines, the running time equals the machine's clock.
            pipeline.useMachineClock(from: 0)
            let handle = device.handle
            let number = try DeviceHub.shared.add { [weak self] report in
                let isGone: Bool
                switch report {
                case .snapshot(let devices): isGone = !devices.contains { $0.handle == handle }
                case .gone(_, let other): isGone = other == handle
                case .lost: isGone = true
                case .seen: isGone = false
                }
                if isGone { self?.deviceHasGone() }
            }
            state.withLock { $0.registration = number }
        }

        deinit {
            pipeline.setState(.null)
            withExtendedLifetime(connection) {}
            if let number = state.withLock({ $0.registration }) { DeviceHub.shared.remove(number) }
        }

        func start() {
            let mustStart = state.withLock { state in
                state.isWanted = true
                guard state.mustPlay, !state.hasThread else { return false }
                state.hasThread = true
                return true
            }
            guard mustStart, !MediaThread.start("duet-capture", { [self] in run() }) else { return }
            pipeline.setState(.null)
            let waiting = state.withLock { state in
                (state.hasThread, state.isOver) = (false, true)
                defer { state.waiting = [] }
                return state.waiting
            }
            waiting.forEach { $0.resume() }
            events.tell(.failed(MediaThread.refusal))
        }

        func stop() { state.withLock { $0.isWanted = false } }

        func close() async {
            events.end()
            let number = state.withLock { state in
                state.isClosed = true
                defer { state.registration = nil }
                return state.registration
            }
            if let number { DeviceHub.shared.remove(number) }
            await withCheckedContinuation { continuation in
                let hasThread = state.withLock { state in
                    if state.hasThread { state.waiting.append(continuation) }
                    return state.hasThread
                }
                guard !hasThread else { return }
                let end = { @Sendable [self] in
                    pipeline.setState(.null)
                    continuation.resume()
                }
                if !MediaThread.start("duet-close", end) { end() }
            }
        }

        // MARK: The thread

        private func run() {
            while true {
                // Capture may have ended before the thread began: the camera's light must not go on again.
                if state.withLock({ $0.mustPlay }) { play() }
                let mustClose = state.withLock { $0.isClosed || $0.isOver }
                pipeline.setState(mustClose ? .null : .ready)
                let waiting: [CheckedContinuation<Void, Never>]? = state.withLock { state in
                    if state.mustPlay || state.isClosed && !mustClose { return nil }
                    state.hasThread = false
                    defer { state.waiting = [] }
                    return state.waiting
                }
                guard let waiting else { continue }
                waiting.forEach { $0.resume() }
                return
            }
        }

        /// Takes samples until capture is stopped, or the pipeline fails.
        private func play() {
            let isPlaying = pipeline.setState(.playing)
            while state.withLock({ $0.mustPlay }) {
                if isPlaying,
                    let sample = pipeline.gst.functions.pointee.gst_app_sink_try_pull_sample(sink.pointer, 20_000_000)
                {
                    if state.withLock({ $0.mustPlay }) { take(sample) }
                    pipeline.gst.functions.pointee.gst_mini_object_unref(sample)
                    // Usually more samples follow, and errors are rare.
                    continue
                }
                switch pipeline.nextMessage(timeout: 0) {
                case .error(let reason): fail(reason)
                case .endOfStream: fail("it delivers nothing any more")
                case .ready: break
                case nil: if !isPlaying { fail("it cannot be started") }
                }
            }
        }

        private func deviceHasGone() {
            state.withLock { $0.isOver = true }
            events.tell(.disconnected)
        }

        /// An error of GStreamer often means that the device was unplugged, which the hub reports a little later.
        private func fail(_ reason: String) {
            let deadline = Instant.now + .milliseconds(150)
            while Instant.now < deadline, state.withLock({ $0.mustPlay }) { MediaThread.sleep(.milliseconds(5)) }
            guard state.withLock({ $0.mustPlay }) else { return }
            state.withLock { $0.isOver = true }
            events.tell(.failed(Self.error(device, reason)))
        }

        private static func error(_ device: MediaDevice, _ reason: String) -> DeviceError {
            let text = reason.lowercased()
            if text.contains("busy") {
                return DeviceError(.busy, "\(device.name) is used by another program: \(reason)")
            }
            if text.contains("permission") || text.contains("not permitted") || text.contains("denied") {
                return DeviceError(.denied, "\(device.name) may not be used: \(reason)")
            }
            return DeviceError(.failed, "\(device.name): \(reason)")
        }
    }
#endif
