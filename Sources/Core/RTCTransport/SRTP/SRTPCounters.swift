/// The packets that a session accepted, and those that it dropped, by reason.
package struct SRTPCounters: Sendable, Hashable {
    /// Packets of RTP and RTCP that were protected.
    package internal(set) var protected: UInt64 = 0
    /// Packets of RTP and RTCP that were authentic and new.
    package internal(set) var accepted: UInt64 = 0
    /// Dropped: forged, damaged, or protected with other keys.
    package internal(set) var authenticationFailed: UInt64 = 0
    /// Dropped: received before, or too old to check.
    package internal(set) var replayed: UInt64 = 0
    /// Dropped: not version 2, or shorter than its header and tag.
    package internal(set) var malformed: UInt64 = 0
    /// Dropped: of one synchronization source more than a session remembers.
    package internal(set) var tooManySources: UInt64 = 0
    /// Not sent: an RTP packet whose number was protected before, or is too old to check. Protecting it would reuse a
    /// nonce.
    package internal(set) var repeatedWhenSending: UInt64 = 0
    /// Not sent: no RTP or RTCP packet, no room for the tag, one source too many, or the keys are used up.
    package internal(set) var unfitForSending: UInt64 = 0
    /// How often a stream was found again, with another rollover counter, after a loss of more than 2¹⁵ packets.
    package internal(set) var resynchronized: UInt64 = 0

    package init() {}

    /// All packets from the network that were dropped.
    package var dropped: UInt64 { authenticationFailed &+ replayed &+ malformed &+ tooManySources }
}
