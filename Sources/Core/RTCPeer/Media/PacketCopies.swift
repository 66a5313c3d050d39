internal import RTCWire

/// Protected packets that are to leave once more, on another path, while it is in doubt whether the first one carries them. The
/// other side takes the copy that comes first: SRTP drops the second as a replay.
///
/// Sound and reports are always copied. Pictures may take ``pictureRate`` there, since nobody knows what that path carries.
struct PacketCopies {
    enum Kinds {
        case nothing
        /// They are small.
        case soundAndReports
        case everything
    }

    /// What pictures are made for while they are copied.
    static let pictureRate = Bitrate.kilobits(300)
    /// What copies of pictures may take in the long run: encoders miss their target, and what is lost is sent again.
    private static let budget = Bitrate.kilobits(450)
    /// What they may take at once, as time at that rate: a key frame made for ``pictureRate``, and some pictures behind it.
    private static let credit = TimeDelta.milliseconds(350)
    /// Bytes that wait at most.
    private static let mostWaiting = 64 << 10

    /// Of what copies are made from now on.
    var kinds = Kinds.nothing {
        didSet { if kinds == .nothing { self = PacketCopies() } }
    }
    /// Set while packets leave on the other path only.
    var isSuspended = false
    /// The packets that wait, one behind the other, and the size of each.
    private var bytes: [UInt8] = []
    private var sizes: [Int] = []
    /// When the pictures that were copied are paid for.
    private var paidUntil = Instant(nanoseconds: .min)

    var isWaiting: Bool { !sizes.isEmpty }

    /// Whether packets are to be handed to ``note(_:count:isSound:at:)``.
    var isCopying: Bool { kinds != .nothing && !isSuspended }

    /// Copies a packet that leaves on the selected path, if it is to be copied.
    mutating func note(_ packet: UnsafeMutableRawBufferPointer, count: Int, isSound: Bool, at now: Instant) {
        guard isCopying, bytes.count + count <= Self.mostWaiting, isSound || takesPicture(count, at: now) else {
            return
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: packet.prefix(count)))
        sizes.append(count)
    }

    private mutating func takesPicture(_ size: Int, at now: Instant) -> Bool {
        guard kinds == .everything else { return false }
        let paid = max(paidUntil, now) + Self.budget.time(toSend: size)
        guard paid - now <= Self.credit else { return false }
        paidUntil = paid
        return true
    }

    /// Moves into an empty batch what fits, the oldest first. What is too large for any batch is dropped.
    mutating func write(into batch: inout TransmitBatch) {
        var (taken, offset) = (0, 0)
        bytes.withUnsafeBytes { bytes in
            for size in sizes {
                let packet = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
                let isWritten = batch.append(packet)
                guard isWritten || batch.isEmpty else { break }
                taken += 1
                offset += size
            }
        }
        // Mostly everything has fitted; the memory stays for the next ones.
        bytes.removeSubrange(..<offset)
        sizes.removeSubrange(..<taken)
    }
}
