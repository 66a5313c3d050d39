#if os(Linux)
    import RTCFrames
    import Synchronization

    /// Cameras and microphones by GStreamer, from PipeWire, PulseAudio and V4L2.
    struct GStreamerCapture: CaptureBackend {
        func openCamera(
            _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any CameraCapture {
            let events = CaptureEvents(onEvent)
            return try await Self.onThread { () throws(DeviceError) in
                try GStreamerCamera(device, format: format, events: events)
            }
        }

        func openMicrophone(
            _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any MicrophoneCapture {
            let events = CaptureEvents(onEvent)
            return try await Self.onThread { () throws(DeviceError) in
                try GStreamerMicrophone(device, processing: processing, events: events)
            }
        }

        /// Runs blocking work on its own thread: the cooperative pool has few threads.
        static func onThread<Value: Sendable>(
            _ body: @escaping @Sendable () throws(DeviceError) -> Value
        ) async throws(DeviceError) -> Value {
            typealias Answer = Result<Value, DeviceError>
            let result = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
                let isStarted = MediaThread.start("duet-open") {
                    continuation.resume(returning: Result(catching: body))
                }
                if !isStarted { continuation.resume(returning: .failure(MediaThread.refusal)) }
            }
            return try result.get()
        }
    }

    /// Reports the events of an open device: in order, and none after the last event or after the device was closed.
    final class CaptureEvents: Sendable {
        private let onEvent: @Sendable (CaptureEvent) -> Void
        private let isOver = Mutex(false)

        init(_ onEvent: @escaping @Sendable (CaptureEvent) -> Void) {
            self.onEvent = onEvent
        }

        func tell(_ event: CaptureEvent) {
            isOver.withLock { isOver in
                guard !isOver else { return }
                switch event {
                case .disconnected, .failed: isOver = true
                case .interrupted, .resumed: break
                }
                onEvent(event)
            }
        }

        func end() { isOver.withLock { $0 = true } }
    }
#endif
