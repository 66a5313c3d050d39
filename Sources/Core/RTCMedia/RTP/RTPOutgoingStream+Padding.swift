extension RTPOutgoingStream {
    /// The number of newest packets from which padding is chosen.
    private static let paddingSources: Int64 = 24

    /// Appends packets that were sent already, to be sent again as retransmissions, though nobody misses them: what they
    /// carry helps if the first has been lost. Without retransmissions of their payload type there are none.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - size: About how large each should be, in bytes: the one nearest to it is taken, the newest of several.
    public func appendPadding(_ count: Int, of size: Int, to references: inout [RTPPacketReference]) {
        guard configuration.rtxSSRC != nil, configuration.answersNACKs else { return }
        var nearest: (index: Int64, distance: Int)?
        let oldest = max(history.first, history.end - Self.paddingSources)
        for index in stride(from: history.end - 1, through: oldest, by: -1)
        where history[index].lastSent != nil && rtxPayloadType(of: index) != nil {
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
