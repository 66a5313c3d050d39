extension RTPOutgoingStream {
    /// The number of newest packets from which padding is chosen.
    private static let paddingSources: Int64 = 24

    /// Appends packets that were already sent, to be sent again as retransmissions without a request: their contents
    /// help if the first copy was lost. Adds none if their payload type has no retransmissions.
    ///
    /// - Parameters:
    ///   - count: The number of packets.
    ///   - size: Their approximate size, in bytes: the packet with the nearest size is chosen, the newest of several.
    @usableFromInline package func appendPadding(_ count: Int, of size: Int, to references: inout [RTPPacketReference])
    {
        guard configuration.rtxSSRC != nil, configuration.answersNACKs else { return }
        var nearest: (index: Int64, distance: Int)?
        let oldest = max(history.first, history.end - Self.paddingSources)
        for index in stride(from: history.end - 1, through: oldest, by: -1)
        where history[index].lastSent != nil && !history[index].isErrorCorrection && rtxPayloadType(of: index) != nil {
            let distance = abs(history[index].size - size)
            if distance < nearest?.distance ?? .max { nearest = (index, distance) }
        }
        guard let nearest else { return }
        let bytes = retransmissionSize(of: history[nearest.index])
        for _ in 0..<count {
            references.append(
                RTPPacketReference(index: nearest.index, size: bytes, isRetransmission: true, isPadding: true))
        }
    }
}
