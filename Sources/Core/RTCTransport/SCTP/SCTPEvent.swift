package import RTCWire

/// An event that an ``SCTPAssociation`` reports to its owner.
package enum SCTPEvent: Sendable {
    /// The association is established: messages flow both ways.
    case established
    /// A whole message has arrived.
    case message(SCTPMessage)
    /// The amount waiting to be sent on `stream` has fallen to the stream's low threshold or below.
    case bufferedAmountLow(stream: UInt16)
    /// The peer has reset its outgoing streams `streams`; empty stands for all of them. Their next message has stream
    /// sequence number 0 again.
    case incomingStreamsReset([UInt16])
    /// The peer has accepted our reset of `streams`: they can be used again.
    case outgoingStreamsReset([UInt16])
    /// The peer refused to reset `streams`.
    case streamResetDenied([UInt16])
    /// The number of outgoing streams after a request for more of them, granted or not.
    case outgoingStreamCount(Int)
    /// Closed in order, by this end or the other.
    case closed
    /// Ended by something else than an orderly shutdown.
    case failed(SCTPFailure)
}

/// A user message of SCTP, whole.
package struct SCTPMessage: Sendable, Hashable {
    /// Stream identifier, 0 … 65,534.
    package var stream: UInt16
    /// Payload protocol identifier.
    package var protocolIdentifier: UInt32
    /// Whether it may overtake, or be overtaken by, other messages of its stream.
    package var isUnordered: Bool
    package var bytes: [UInt8]

    package init(stream: UInt16, protocolIdentifier: UInt32, isUnordered: Bool = false, bytes: [UInt8]) {
        self.stream = stream
        self.protocolIdentifier = protocolIdentifier
        self.isUnordered = isUnordered
        self.bytes = bytes
    }
}

/// Why an association ended without a shutdown.
package enum SCTPFailure: Error, Sendable, Hashable {
    /// The peer sent ABORT: the code of its first error cause (RFC 9260, section 3.3.10), 0 if there was none.
    case abortedByPeer(cause: UInt16)
    /// This end called ``SCTPAssociation/abort(at:)``.
    case aborted
    /// The peer did not answer as often as the configuration allows.
    case timedOut
    /// The peer broke a rule that the association cannot survive.
    case protocolViolation(String)
    /// The peer lost its state and restarted, which data channels cannot survive.
    case restarted
}

/// Why ``SCTPAssociation/send(_:reliability:at:)`` refused a message.
package enum SCTPSendError: Error, Sendable, Hashable {
    /// SCTP cannot carry an empty message.
    case empty
    /// Larger than the peer accepts, or than the send buffer.
    case tooLarge(limit: Int)
    /// The send buffer has no room for it now.
    case bufferFull
    /// The stream is 65,535, is not negotiated, or is being reset.
    case streamUnavailable
    /// The association is closing or closed.
    case closed
}

/// For how long SCTP tries to deliver a message (RFC 3758, RFC 7496).
package enum SCTPReliability: Sendable, Hashable {
    case reliable
    /// Abandoned when it was retransmitted so often, and is lost again.
    case maxRetransmits(UInt16)
    /// Abandoned when it is not delivered within that time from `send`.
    case maxLifetime(TimeDelta)
}
