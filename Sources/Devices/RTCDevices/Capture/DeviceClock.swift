internal import RTCFrames
internal import RTCWire

extension Instant {
    /// The current time of the clock that timestamps frames.
    static var now: Instant { monotonicNow() }
}
