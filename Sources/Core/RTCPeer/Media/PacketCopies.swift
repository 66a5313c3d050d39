internal import RTCWire

/// Protected packets to be sent again on the backup path, while the selected one is in doubt. The remote peer uses the
/// first copy to arrive: SRTP drops the second as a replay.
struct PacketCopies {
    enum Kinds {
        case nothing
        /// Audio and RTCP, which are small.
        case soundAndReports
        case everything
    }

    /// The limit on queued packets: a large key frame.
    private static let mostWaiting = 256

    /// The kinds of packets that are copied.
    var kinds = Kinds.nothing {
        didSet { if kinds == .nothing { removeAll() } }
    }
    private var waiting: [[UInt8]] = []

    var isWaiting: Bool { !waiting.isEmpty }

    /// Copies a packet sent on the selected path, if its kind is copied.
    mutating func note(_ packet: UnsafeMutableRawBufferPointer, count: Int, isSound: Bool) {
        guard kinds == .everything || kinds == .soundAndReports && isSound, waiting.count < Self.mostWaiting else {
            return
        }
        waiting.append(Array(packet.prefix(count)))
    }

    /// Moves the queued packets that fit into an empty batch, oldest first. Drops a packet that fits in no batch.
    mutating func write(into batch: inout TransmitBatch) {
        var taken = 0
        for packet in waiting {
            let isWritten = packet.withUnsafeBytes { batch.append($0) }
            guard isWritten || batch.isEmpty else { break }
            taken += 1
        }
        waiting.removeFirst(taken)
    }

    mutating func removeAll() { waiting = [] }
}
