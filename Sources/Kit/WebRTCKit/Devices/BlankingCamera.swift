internal import RTC
internal import RTCDevices
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// Delivers a camera's frames, and a black one each second while there is no camera: the last frame would show what is not there
/// any more.
final class BlankingCamera: VideoSource, Sendable {
    private struct State {
        var sink: (any VideoSink)?
        var size: (width: Int, height: Int)
        var rotation = VideoRotation.none
        var blankFrameTask: Task<Void, Never>?
    }

    private let camera: CameraFeed
    private let state: Mutex<State>
    private let following = Mutex<Task<Void, Never>?>(nil)

    init(_ camera: CameraFeed) {
        self.camera = camera
        let request = camera.request
        let isValid = I420Buffer.isValid(width: request.width, height: request.height)
        state = Mutex(State(size: isValid ? (request.width, request.height) : (640, 360)))
        let events = camera.events()
        let task = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                switch event {
                // Frames may have arrived again meanwhile.
                case .none: if camera.device == nil { startBlankFrames() }
                case .interrupted: startBlankFrames()
                case .using, .resumed: stopBlankFrames()
                case .lost, .failed, .turned: break
                }
            }
        }
        following.withLock { $0 = task }
    }

    deinit {
        following.withLock { $0?.cancel() }
        state.withLock { $0.blankFrameTask?.cancel() }
    }

    func start(delivering sink: any VideoSink) {
        exchange(sink)
        camera.start(delivering: Relay(self))
    }

    func stop() {
        camera.stop()
        exchange(nil)
    }

    private func exchange(_ sink: (any VideoSink)?) {
        let old = state.withLock { state in
            defer { state.sink = sink }
            state.blankFrameTask?.cancel()
            state.blankFrameTask = nil
            return state.sink
        }
        // The last reference to the old sink must not be released under the lock.
        withExtendedLifetime(old) {}
    }

    private func startBlankFrames() {
        state.withLock { state in
            guard state.sink != nil, state.blankFrameTask == nil else { return }
            state.blankFrameTask = Task { [weak self] in
                repeat { self?.deliverBlack() } while (try? await Task.sleep(for: .seconds(1))) != nil
            }
        }
    }

    private func stopBlankFrames() {
        state.withLock { state in
            state.blankFrameTask?.cancel()
            state.blankFrameTask = nil
        }
    }

    private func deliverBlack() {
        let (sink, size, rotation) = state.withLock { state in
            // A frame of the camera may have arrived meanwhile.
            (state.blankFrameTask == nil ? nil : state.sink, state.size, state.rotation)
        }
        guard let sink else { return }
        sink.deliver(
            VideoFrame(
                buffer: I420Buffer(width: size.width, height: size.height), rotation: rotation,
                timestamp: MediaClock.now))
    }

    private func pass(_ frame: VideoFrame) {
        let sink = state.withLock { state in
            state.size = (frame.width, frame.height)
            state.rotation = frame.rotation
            state.blankFrameTask?.cancel()
            state.blankFrameTask = nil
            return state.sink
        }
        sink?.deliver(frame)
    }

    /// Receives the camera's frames. The camera retains its sink, so this is not the source itself, which retains the camera.
    private final class Relay: VideoSink {
        private struct Reference {
            weak var source: BlankingCamera?
        }

        private let reference: Mutex<Reference>

        init(_ source: BlankingCamera) {
            reference = Mutex(Reference(source: source))
        }

        func deliver(_ frame: VideoFrame) { reference.withLock { $0.source }?.pass(frame) }
    }
}
