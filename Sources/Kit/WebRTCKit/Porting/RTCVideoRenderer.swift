public import Foundation
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// Receives the frames of a track, with the interface of the WebRTC framework. New apps use a `VideoSink` or a
/// `WebRTCVideoView`.
public protocol RTCVideoRenderer: AnyObject, SendableMetatype {
    /// Called before the first frame, and before each frame of another size.
    ///
    /// - Parameter size: The size in pixels, after rotation.
    func setSize(_ size: CGSize)

    /// Takes the next frame, on a thread of the engine, and returns at once. Calls do not overlap.
    func renderFrame(_ frame: RTCVideoFrame?)
}

/// Passes the frames of a track to a renderer.
///
/// The renderer is called under a lock, and never on two threads at once.
final class RendererSink: VideoSink, @unchecked Sendable {
    private let renderer: any RTCVideoRenderer
    private let lock = Lock()
    private var size: (width: Int32, height: Int32) = (0, 0)

    init(_ renderer: any RTCVideoRenderer) {
        self.renderer = renderer
    }

    func deliver(_ frame: VideoFrame) {
        let picture = RTCVideoFrame(frame)
        lock.withLock {
            if size != picture.turnedSize {
                size = picture.turnedSize
                renderer.setSize(CGSize(width: CGFloat(size.width), height: CGFloat(size.height)))
            }
            renderer.renderFrame(picture)
        }
    }
}

/// The renderers of a track, each with its sink.
final class TrackRenderers: Sendable {
    private let sinks = Mutex<[ObjectIdentifier: RendererSink]>([:])

    /// - Returns: `nil` if the renderer was added before: a view of the original adds itself at each update.
    func add(_ renderer: any RTCVideoRenderer) -> RendererSink? {
        let sink = RendererSink(renderer)
        return sinks.withLock { sinks in
            guard sinks[ObjectIdentifier(renderer)] == nil else { return nil }
            sinks[ObjectIdentifier(renderer)] = sink
            return sink
        }
    }

    func remove(_ renderer: any RTCVideoRenderer) -> RendererSink? {
        sinks.withLock { $0.removeValue(forKey: ObjectIdentifier(renderer)) }
    }
}

extension WRKRTCVideoTrack {
    /// Adds a renderer, which receives the latest frame, if there is one, and all following frames. The track keeps it.
    /// Adding it twice changes nothing.
    public func add(_ renderer: any RTCVideoRenderer) {
        if let sink = renderers.add(renderer) { track.add(sink) }
    }

    /// Removes a renderer.
    public func remove(_ renderer: any RTCVideoRenderer) {
        if let sink = renderers.remove(renderer) { track.remove(sink) }
    }
}

extension RTCVideoFrame {
    convenience init(_ frame: VideoFrame) {
        self.init(
            buffer: EngineBuffer.original(frame.buffer),
            rotation: RTCVideoRotation(rawValue: frame.rotation.degrees) ?? ._0,
            timeStampNs: frame.timestamp.nanoseconds)
    }

    fileprivate var turnedSize: (width: Int32, height: Int32) {
        rotation == ._90 || rotation == ._270 ? (height, width) : (width, height)
    }
}

/// Wraps a buffer of the engine, or a custom buffer.
final class EngineBuffer: RTCVideoFrameBuffer, EngineFrameBuffer {
    private let buffer: any VideoFrameBuffer

    private init(_ buffer: any VideoFrameBuffer) {
        self.buffer = buffer
    }

    /// Converts to the app's type, without a copy.
    static func original(_ buffer: any VideoFrameBuffer) -> any RTCVideoFrameBuffer {
        if let picture = buffer as? I420Buffer { return RTCI420Buffer(picture) }
        return platformBuffer(buffer) ?? EngineBuffer(buffer)
    }

    var width: Int32 { Int32(buffer.width) }
    var height: Int32 { Int32(buffer.height) }
    func toI420() -> RTCI420Buffer? { buffer.i420(from: I420BufferPool(capacity: 1)).map { RTCI420Buffer($0) } }
    var engineBuffer: (any VideoFrameBuffer)? { buffer }
}
