internal import RTCWire

/// Protected packets to be sent again on the backup path, while the selected one is in doubt. The remote peer uses the
/// first copy to arrive: SRTP drops the second as a replay.
///
/// Audio and RTCP are always copied. Video is encoded for ``videoBitrateLimit`` meanwhile and copied within a budget, since
/// the capacity of that path is unknown.
struct PacketCopies {
    enum Kinds {
        case nothing
        /// Audio and RTCP, which are small.
        case audioAndReports
        case everything
    }

    /// The limit on the target bitrate while video is copied.
    static let videoBitrateLimit = Bitrate.kilobits(300)
    /// The long-term limit on copies of video: encoders exceed their target, and lost packets are retransmitted.
    private static let budget = Bitrate.kilobits(450)
    /// The limit on a burst of them, as time at that bitrate: a key frame encoded for ``videoBitrateLimit``, and a few frames
    /// behind it.
    private static let credit = TimeDelta.milliseconds(350)
    /// The limit on queued bytes.
    private static let maximumQueuedBytes = 64 << 10

    /// The kinds of packets that are copied.
    var kinds = Kinds.nothing {
        didSet { if kinds == .nothing { self = PacketCopies() } }
    }
    /// Whether copying is suspended, while packets are sent on the backup path only.
    var isSuspended = false
    /// The queued packets, one after the other, and their sizes.
    private var bytes: [UInt8] = []
    private var sizes: [Int] = []
    /// The time until which the budget is used up by the video copied so far.
    private var paidUntil = Instant(nanoseconds: .min)

    var isWaiting: Bool { !sizes.isEmpty }

    /// Whether ``note(_:count:isSound:at:)`` is to be called for packets.
    var isCopying: Bool { kinds != .nothing && !isSuspended }

    /// Copies a packet sent on the selected path, if its kind is copied.
    ///
    /// - Returns: Whether it is copied.
    @discardableResult
    mutating func note(_ packet: UnsafeMutableRawBufferPointer, count: Int, isSound: Bool, at now: Instant) -> Bool {
        guard isCopying, bytes.count + count <= Self.maximumQueuedBytes, isSound || admitsVideoFrame(count, at: now)
        else {
            return false
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: packet.prefix(count)))
        sizes.append(count)
        return true
    }

    private mutating func admitsVideoFrame(_ size: Int, at now: Instant) -> Bool {
        guard kinds == .everything else { return false }
        let paid = max(paidUntil, now) + Self.budget.time(toSend: size)
        guard paid - now <= Self.credit else { return false }
        paidUntil = paid
        return true
    }

    /// Moves the queued packets that fit into an empty batch, oldest first. Drops a packet that fits in no batch.
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
        // Usually everything has fitted, and the memory is kept for later packets.
        bytes.removeSubrange(..<offset)
        sizes.removeSubrange(..<taken)
    }
}
