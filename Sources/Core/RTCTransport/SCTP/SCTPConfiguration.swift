package import RTCWire

/// The settings of one SCTP association.
///
/// The defaults suit data channels over DTLS. Names in parentheses are those of RFC 9260, section 16.
package struct SCTPConfiguration: Sendable {
    /// Port of this end. RFC 8841 negotiates it as `a=sctp-port`; over DTLS it is 5000 by habit.
    package var localPort: UInt16 = 5000
    /// Port of the other end.
    package var remotePort: UInt16 = 5000

    /// The largest SCTP packet, common header included, without DTLS, UDP and IP, in bytes. Limited to 512 … 65,535.
    package var maximumPacketSize = 1_200
    /// Bytes of user data that may wait here for the application before the peer has to stop (a_rwnd), at first. At
    /// least a message of ``maximumMessageSize`` and 64 KiB more are granted, or such a message could never arrive.
    package var receiveWindow = 1 << 20
    /// The limit to which ``receiveWindow`` grows while the application takes more than half a window per round trip.
    package var maximumReceiveWindow = 16 << 20
    /// The largest message that is accepted from the peer, in bytes: what `a=max-message-size` announces.
    package var maximumMessageSize = 256 << 10
    /// Bytes of messages, on all streams together, that may wait here to be sent or acknowledged. Taken as 64 KiB … 2 GiB:
    /// a larger message can never be sent.
    package var sendBufferLimit = 16 << 20

    /// Outgoing streams that are asked for.
    package var outgoingStreams: UInt16 = 65_535
    /// Incoming streams that are allowed.
    package var incomingStreams: UInt16 = 65_535

    /// First retransmission timeout, before there is a measurement (RTO.Initial).
    package var initialRTO: TimeDelta = .milliseconds(500)
    /// Shortest retransmission timeout (RTO.Min). Longer than the 200 ms by which a peer may delay its SACK.
    package var minimumRTO: TimeDelta = .milliseconds(400)
    /// Longest retransmission timeout (RTO.Max). Short, so that data flow again soon after ICE has found a new path.
    package var maximumRTO: TimeDelta = .seconds(3)
    /// By how much a SACK may be delayed (SACK.Delay).
    package var sackDelay: TimeDelta = .milliseconds(100)
    /// The interval of heartbeats to an idle peer (HB.interval). `nil` sends none.
    package var heartbeatInterval: TimeDelta? = .seconds(30)
    /// For how long a state cookie is good (Valid.Cookie.Life).
    package var cookieLifetime: TimeDelta = .seconds(60)

    /// The consecutive timeouts after which the association fails (Association.Max.Retrans). With `nil`, the default,
    /// only ICE detects that the peer is gone.
    package var maximumRetransmissions: Int?
    /// Retransmissions of INIT or COOKIE ECHO after which the association fails (Max.Init.Retransmits). `nil` is no
    /// limit.
    package var maximumInitRetransmissions: Int?

    /// The initial congestion window, in packets: 4 in RFC 9260; RFC 6928 found 10 safe for TCP.
    package var initialCongestionWindow = 10
    /// Packets that may leave at once beyond those that an acknowledgement replaces (Max.Burst). As many as one
    /// segmented UDP write holds.
    package var maximumBurst = 64

    /// Offers to accept packets without a CRC-32c, and leaves it out when the peer offers the same (RFC 9653): the
    /// authentication of DTLS is stronger.
    package var zeroChecksum = true

    package init() {}
}

extension SCTPConfiguration {
    /// ``sendBufferLimit`` within bounds.
    var grantedSendBuffer: Int { min(max(sendBufferLimit, 64 << 10), 1 << 31 - 1) }

    /// ``maximumReceiveWindow`` within bounds.
    var largestWindow: Int { min(max(maximumReceiveWindow, grantedWindow), 1 << 31 - 1) }

    /// ``maximumPacketSize`` within bounds, and a multiple of four, as all packets are.
    var packetSize: Int { min(max(maximumPacketSize, 512), 65_532) & ~3 }

    /// ``receiveWindow``, but at least large enough for the largest message.
    var grantedWindow: Int {
        let least = min(max(maximumMessageSize, 0), 1 << 30) + (64 << 10)
        return min(max(receiveWindow, least), 1 << 31 - 1)
    }
}
