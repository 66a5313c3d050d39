internal import RTC

/// What is recorded of one kind of media, from call to call, until it is stopped. It belongs to a ``CallManager``.
final class LocalRecording<Track: LocalTrack, Input> {
    /// The track that is sent; `nil` while nothing is recorded.
    var track: Track?
    /// The source of ``track``.
    var input: Input?
    /// The number of starts and stops.
    var changes = 0
}

/// A track of this device.
protocol LocalTrack: AnyObject, Hashable, Sendable {
    associatedtype EngineTrack: MediaTrack

    var track: EngineTrack { get }
    var isEnabled: Bool { get set }

    /// The event that reports its beginning or its end.
    func event(isPresent: Bool) -> WebRTCController.Event
}

extension WRKRTCAudioTrack: LocalTrack {
    func event(isPresent: Bool) -> WebRTCController.Event { .localAudio(self, isPresent: isPresent) }
}

extension WRKRTCVideoTrack: LocalTrack {
    func event(isPresent: Bool) -> WebRTCController.Event { .localVideo(self, isPresent: isPresent) }
}
