/// The Advanced.Peer.Ack.Point of RFC 3758, section 3.5, which only moves on: each chunk is looked at once for it.
struct AdvancedAckPoint {
    /// The position after the last chunk that is given up, of those in a row at the front.
    var end = 0
    /// The position of the first chunk that has not been passed.
    var looked = 0
    /// Of each stream that skips ordered messages the last one skipped, and its chunk's position.
    private var streams: [(entry: ForwardTSNChunk.SkippedStream, position: Int)] = []

    var skipped: [ForwardTSNChunk.SkippedStream] { streams.map(\.entry) }

    /// Goes on from `position`, before which everything is acknowledged.
    mutating func forget(before position: Int) {
        looked = max(looked, position)
        streams.removeAll { $0.position < position }
    }

    /// Skips the message of the chunk that is looked at.
    ///
    /// - Returns: Whether there was room for its stream.
    mutating func skip(_ message: InFlightMessage, limit: Int) -> Bool {
        let entry = ForwardTSNChunk.SkippedStream(stream: message.stream, sequenceNumber: message.sequenceNumber)
        if let known = streams.lastIndex(where: { $0.entry.stream == message.stream }) {
            streams[known] = (entry, looked)
        } else if streams.count < limit {
            streams.append((entry, looked))
        } else {
            return false
        }
        return true
    }
}
