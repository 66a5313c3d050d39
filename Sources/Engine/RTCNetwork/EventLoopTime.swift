package import NIOCore
package import RTCWire

// The event loops' clock is also that of frames, devices and connections: a test compares them.

extension NIODeadline {
    /// The same time.
    package var instant: Instant { Instant(nanoseconds: Int64(clamping: uptimeNanoseconds)) }
}

extension Instant {
    /// The same time as a deadline of an event loop.
    package var deadline: NIODeadline { .uptimeNanoseconds(UInt64(clamping: nanoseconds)) }
}
