/// The Advanced.Peer.Ack.Point of RFC 3758, section 3.5. It only advances, so each chunk is examined once.
struct AdvancedAckPoint {
    /// The position after the last abandoned chunk of the leading run of abandoned or acknowledged chunks.
    var end = 0
    /// The position of the first chunk not yet passed.
    var nextPosition = 0
    /// The last skipped ordered message of each stream, and its chunk's position.
    private var streams: [(entry: ForwardTSNChunk.SkippedStream, position: Int)] = []

    var skipped: [ForwardTSNChunk.SkippedStream] { streams.map(\.entry) }

    /// Continues from `position`, before which everything is acknowledged.
    mutating func forget(before position: Int) {
        nextPosition = max(nextPosition, position)
        streams.removeAll { $0.position < position }
    }

    /// Skips the message of the chunk at ``nextPosition``.
    ///
    /// - Returns: Whether there was room for its stream.
    mutating func skip(_ message: InFlightMessage, limit: Int) -> Bool {
        let entry = ForwardTSNChunk.SkippedStream(stream: message.stream, sequenceNumber: message.sequenceNumber)
        if let known = streams.lastIndex(where: { $0.entry.stream == message.stream }) {
            streams[known] = (entry, nextPosition)
        } else if streams.count < limit {
            streams.append((entry, nextPosition))
        } else {
            return false
        }
        return true
    }
}
