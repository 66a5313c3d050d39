package import RTCWire

/// Lowers an encoder's setting while earlier frames wait for the pacer, so that the next frame becomes smaller before frames have
/// to be dropped.
///
/// The factor follows from the present queue alone. So it ends with the queue, and nothing can wind up. RFC 8698, section 5.2,
/// lowers the encoder's target by its rate shaping buffer in the same way, by 5 % at most.
package struct EncoderPushback: Sendable, Hashable {
    /// The queue that changes nothing. An ordinary frame has left when the next one comes; one that is twice as large has not.
    package var tolerance = TimeDelta.milliseconds(30)
    /// The reduction for each 10 ms of queue above ``tolerance``, as a share of the setting.
    package var reduction = 0.08
    /// The smallest factor, for whatever queue.
    package var least = 0.5

    package init() {}

    /// Returns the factor for the encoder's setting, from ``least`` to 1.
    ///
    /// - Parameter queue: The time that the packets waiting for the pacer take to leave.
    package func factor(queue: TimeDelta) -> Double {
        let excess = (queue - tolerance).seconds
        return excess > 0 ? max(1 - excess * 100 * reduction, least) : 1
    }
}
