internal import RTCWire

/// Protected packets that are to leave once more, on another path, while it is in doubt whether the first one carries them. The
/// other side takes the copy that comes first: SRTP drops the second as a replay.
struct PacketCopies {
    enum Kinds {
        case nothing
        /// They are small.
        case soundAndReports
        case everything
    }

    /// Packets that wait at most: a large key frame.
    private static let mostWaiting = 256

    /// Of what copies are made from now on.
    var kinds = Kinds.nothing {
        didSet { if kinds == .nothing { removeAll() } }
    }
    private var waiting: [[UInt8]] = []

    var isWaiting: Bool { !waiting.isEmpty }

    /// Copies a packet that leaves on the selected path, if it is to be copied.
    mutating func note(_ packet: UnsafeMutableRawBufferPointer, count: Int, isSound: Bool) {
        guard kinds == .everything || kinds == .soundAndReports && isSound, waiting.count < Self.mostWaiting else {
            return
        }
        waiting.append(Array(packet.prefix(count)))
    }

    /// Moves into an empty batch what fits, the oldest first. What is too large for any batch is dropped.
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
