package import RTCWire

/// When a request over UDP is sent again (RFC 8489, section 6.2.1).
///
/// With the defaults a request leaves at 0, 500, 1,500, 3,500, 7,500, 15,500 and 31,500 ms, and has failed after
/// 39,500 ms.
package struct STUNRetransmission: Sendable, Hashable {
    /// RTO of the first transmission.
    package var timeout: TimeDelta
    /// Rc: transmissions in all.
    package var maximumTransmissions: Int
    /// Rm: the last transmission is waited for this many times the first RTO.
    package var lastWaitFactor: Int64
    /// Transmissions that come before these, one RTO apart, without doubling: 0 by the RFC.
    package var extraTransmissions: Int

    package init(
        timeout: TimeDelta = .milliseconds(500), maximumTransmissions: Int = 7, lastWaitFactor: Int64 = 16,
        extraTransmissions: Int = 0
    ) {
        self.timeout = timeout
        self.maximumTransmissions = maximumTransmissions
        self.lastWaitFactor = lastWaitFactor
        self.extraTransmissions = extraTransmissions
    }

    /// Whether no more may follow after `count` transmissions.
    package func isLast(_ count: Int) -> Bool { count - extraTransmissions >= maximumTransmissions }

    /// How long to wait for an answer after `count` transmissions, before the next one or before giving up.
    package func wait(afterTransmissions count: Int) -> TimeDelta {
        if isLast(count) { return timeout * lastWaitFactor }
        return timeout * (1 << Int64(min(max(count - extraTransmissions, 1) - 1, 16)))
    }
}
