public import RTCFrames
import RTCWire
import Synchronization

/// The video of a call's camera: the one that a ``CameraSelector`` currently selects.
///
/// ```swift
/// let camera = CameraFeed(selector)
/// let track = VideoTrack(source: camera)
/// for await event in camera.events() { … }
/// ```
///
/// When another camera is selected, it is opened, and its frames replace those of the previous one; no older frame
/// follows. If a camera is unplugged or fails, an event is delivered, and the next camera takes over. One that has
/// delivered nothing for 5 seconds after it was opened has failed: it is opened once more, with 10 seconds, before the
/// next one takes over. The time begins again when an interruption ends. Each frame carries the rotations that make it
/// upright, at the peer and on the local screen; it is never mirrored.
public final class CameraFeed: VideoSource {
    private typealias Feed = DeviceFeed<any CameraCapture, any VideoSink>

    private struct State {
        var request: CaptureRequest
        var rotation: (any RotationBackend)?
        var preview = PreviewLayer()
    }

    private struct PreviewLayer: @unchecked Sendable {
        // It is only passed on to the system.
        weak var object: AnyObject?
    }

    public let selector: CameraSelector
    private let feed: Feed
    private let link: Link
    private let watch: CameraSelectorToken
    /// Takes the next frame as a photo.
    let shutter = FrameGrabber()

    /// The state that the feed's own closures hold instead of the camera feed, which they must not retain.
    private final class Link: Sendable {
        let state: Mutex<State>
        let makeRotation: (@Sendable (MediaDevice) -> any RotationBackend)?

        init(_ state: sending State, makeRotation: (@Sendable (MediaDevice) -> any RotationBackend)?) {
            self.state = Mutex(state)
            self.makeRotation = makeRotation
        }
    }

    /// Creates a feed of the selected camera.
    ///
    /// - Parameters:
    ///   - request: The wanted frame size and frame rate; the nearest format of the camera is used.
    ///   - system: The device access to use; by default this machine's.
    public init(_ selector: CameraSelector, request: CaptureRequest = .hd720, system: DeviceSystem = .ofMachine) {
        self.selector = selector
        let link = Link(State(request: request), makeRotation: system.rotation)
        self.link = link
        let (backend, shutter) = (system.capture, shutter)
        let feed = Feed(
            use: Feed.Use(
                candidates: { [weak selector] in selector?.candidates ?? [] },
                open: { device, onEvent async throws(DeviceError) in
                    let format = device.captureFormat(nearestTo: link.state.withLock { $0.request })
                    return try await backend.openCamera(device, format: format, onEvent: onEvent)
                },
                start: { capture, generation, feed in
                    let rotation = Self.newRotation(for: capture.device, link, feed)
                    capture.start(delivering: Gate(generation, rotation, feed, shutter))
                },
                // In a task, so that the first frame does not wait for the history to be written to its file.
                noteUse: { [weak selector] device in Task { selector?.noteStreaming(device) } },
                stop: { $0.stop() },
                close: { await $0.close() },
                canOpenWhileClosing: backend.canOpenWhileClosing))
        self.feed = feed
        watch = selector.watch { [weak feed] in feed?.look() }
    }

    deinit { feed.stop() }

    /// The camera that delivers frames; `nil` if none does.
    public var device: MediaDevice? { feed.device }

    /// The camera that is open, or is about to deliver its first frame.
    var openCamera: (any CameraCapture)? { feed.capture }

    /// The format of the open camera.
    public var format: CaptureFormat? { feed.capture?.format }

    /// The rotations of the open camera's frames, for the local preview and for sending.
    public var angles: RotationAngles? { feed.capture == nil ? nil : link.state.withLock { $0.rotation }?.angles }

    /// The events of the camera from now on.
    public func events() -> AsyncStream<DeviceFeedEvent> { feed.events.stream() }

    /// The wanted frame size and frame rate. An open camera is opened again if it has another format for it.
    public var request: CaptureRequest {
        get { link.state.withLock { $0.request } }
        set {
            let old = link.state.withLock { state in
                defer { state.request = newValue }
                return state.request
            }
            // This includes a camera that is being opened for the old request.
            guard let device = feed.target else { return }
            if device.captureFormat(nearestTo: newValue) != device.captureFormat(nearestTo: old) { feed.reopen() }
        }
    }

    /// Sets a control of the open camera, until another camera is opened.
    ///
    /// - Throws: ``DeviceError`` `notFound` if no camera is open, `unsupported` if it has no such control or the value
    ///   is out of range.
    public func set(_ setting: CameraSetting) throws(DeviceError) {
        guard let capture = feed.capture else { throw DeviceError(.notFound, "no camera is open") }
        try capture.device.controls.check(setting)
        try capture.set(setting)
    }

    /// Sets, on Apple's platforms, the `CALayer` that shows the camera's frames, for which the system computes the
    /// preview's rotation. The layer is not retained. `WebRTCVideoView` calls it itself; other platforms ignore it.
    public func setPreviewLayer(_ layer: AnyObject?) {
        let preview = PreviewLayer(object: layer)
        let rotation = link.state.withLock { state in
            state.preview = preview
            return state.rotation
        }
        rotation?.setPreviewLayer(layer)
    }

    public func start(delivering sink: any VideoSink) { feed.start(delivering: sink) }

    public func stop() { feed.stop() }

    /// Waits until the selected camera is open or has failed; after ``stop()``, until it is closed.
    package func settled() async { await feed.settled() }

    private static func newRotation(
        for device: MediaDevice, _ link: Link, _ feed: Feed
    ) -> (any RotationBackend)? {
        let rotation = link.makeRotation?(device)
        if let layer = link.state.withLock({ $0.preview }).object { rotation?.setPreviewLayer(layer) }
        rotation?.start { [events = feed.events] in events.tell(.turned(device, $0)) }
        let old = link.state.withLock { state in
            defer { state.rotation = rotation }
            return state.rotation
        }
        // Releasing the old rotation stops its sensor, which must not happen under the lock.
        withExtendedLifetime(old) {}
        return rotation
    }

    /// The sink of one open camera: passes frames on while that camera is the current one.
    // `feed` is written by init alone.
    private final class Gate: VideoSink, @unchecked Sendable {
        private let generation: Int
        private let rotation: (any RotationBackend)?
        private weak var feed: Feed?
        private let shutter: FrameGrabber

        init(_ generation: Int, _ rotation: (any RotationBackend)?, _ feed: Feed, _ shutter: FrameGrabber) {
            self.generation = generation
            self.rotation = rotation
            self.feed = feed
            self.shutter = shutter
        }

        // The camera releases its sink when it stops, so the sensor is not followed for a closed camera.
        deinit { rotation?.stop() }

        func deliver(_ frame: VideoFrame) {
            guard let feed, feed.passes(generation, capturedAt: frame.timestamp) else { return }
            guard let sink = feed.sink else { return }
            var frame = frame
            if let rotation {
                let angles = rotation.angles
                frame.rotation = angles.capture
                frame.screenRotation = angles.screen(isMirrored: rotation.isMirrored)
            }
            shutter.offer(frame)
            sink.deliver(frame)
        }
    }
}

extension CameraSelector {
    /// The cameras to try in order: the current one, then the others of the list.
    var candidates: [MediaDevice] {
        let choice = choice
        guard let current = choice.current else { return [] }
        return [current] + choice.list.filter { !$0.isSameInstance(as: current) }
    }
}

extension CameraControls {
    /// - Throws: ``DeviceError`` `unsupported` if there is no such control, or the value is out of its range.
    func check(_ setting: CameraSetting) throws(DeviceError) {
        switch setting {
        case .zoom(let factor):
            try Self.check(factor, in: zoom, "zoom")
        case .focus(let mode):
            guard focusModes.contains(mode) else { throw Self.lacks("focus mode \(mode.rawValue)") }
        case .lensPosition(let position):
            try Self.check(position, in: focusModes.contains(.locked) ? 0...1 : nil, "lens position")
        case .exposure(let mode):
            guard exposureModes.contains(mode) else { throw Self.lacks("exposure mode \(mode.rawValue)") }
        case .exposureBias(let bias):
            try Self.check(bias, in: exposureBias, "exposure bias")
        }
    }

    private static func check(_ value: Double, in range: ClosedRange<Double>?, _ name: String) throws(DeviceError) {
        guard let range else { throw lacks(name) }
        guard range.contains(value) else {
            throw DeviceError(
                .unsupported, "\(name) goes from \(range.lowerBound) to \(range.upperBound): \(value) is outside")
        }
    }

    private static func lacks(_ what: String) -> DeviceError {
        DeviceError(.unsupported, "the camera has no \(what) that could be set")
    }
}
