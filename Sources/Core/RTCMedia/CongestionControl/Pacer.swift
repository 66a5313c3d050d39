public import RTCWire

/// Spreads the packets of a transport's streams over time, so that a key frame does not leave as one burst.
///
/// Audio leaves immediately; then come retransmissions, then video, at the pacing rate, against which everything
/// counts. After a pause some packets may leave at once (``credit``): an ordinary frame, which had the interval since
/// the last one to accumulate credit, is not spread. The queue holds references and no bytes. It is short in time: if
/// it would take longer than ``maximumQueueTime`` to empty, the rate is raised. Senders of frames should watch
/// ``queueTime`` and drop some before that happens.
@usableFromInline package struct Pacer: Sendable {
    @usableFromInline package enum Priority: Sendable, Hashable {
        /// `padding` is sent only when nothing else waits, to probe the path.
        case audio, retransmission, video, padding
    }

    /// A packet whose turn it is.
    @frozen
    @usableFromInline package struct Entry: Sendable {
        /// The number that the owner gave its stream.
        @usableFromInline package var stream: Int
        @usableFromInline package var packet: RTPPacketReference
        /// When it was queued.
        @usableFromInline package var queued: Instant
        @usableFromInline package var priority: Priority
    }

    /// The rate for all but audio; 2.5 times the target is a good choice as long as the path has room for it.
    @usableFromInline package var rate: Bitrate
    /// The additional amount that may leave after a pause, as time at the pacing rate: at most ``credit``.
    @usableFromInline package var savings = Self.credit
    @usableFromInline package var maximumQueueTime: TimeDelta
    /// Whether all but audio waits, whatever the rate.
    @usableFromInline package var isHeld = false

    private var audio = RingBuffer<Entry>()
    private var retransmissions = RingBuffer<Entry>()
    private var video = RingBuffer<Entry>()
    private var padding = RingBuffer<Entry>()
    /// Bytes in the queues that are paced, without padding.
    private var pacedBytes = 0
    /// The time at which the bytes sent so far are paid for.
    private var paidUntil = Instant(nanoseconds: .min)
    /// The time until which packets may be sent on credit, so that several go in one system call.
    private var burstEnd = Instant(nanoseconds: .min)
    /// The time charged for the last packet.
    private var lastCharge = TimeDelta.zero

    /// The burst that may be sent at once, as time at the pacing rate.
    static let burst = TimeDelta.milliseconds(5)
    /// The additional amount that may leave after a pause of this length, as time at the pacing rate. At 2.5 times the
    /// target rate, this and ``burst`` cover the average frame at 30 frames a second, and half as much again.
    @usableFromInline package static let credit = TimeDelta.milliseconds(15)

    @usableFromInline package init(rate: Bitrate, maximumQueueTime: TimeDelta = .milliseconds(500)) {
        self.rate = rate
        self.maximumQueueTime = maximumQueueTime
    }

    @usableFromInline package var isEmpty: Bool { isIdle && padding.isEmpty }

    /// Whether nothing waits but padding.
    @usableFromInline package var isIdle: Bool { audio.isEmpty && retransmissions.isEmpty && video.isEmpty }

    /// Packets that wait.
    @usableFromInline package var count: Int { audio.count + retransmissions.count + video.count + padding.count }

    /// How long the queue takes to empty at the pacing rate.
    @usableFromInline package var queueTime: TimeDelta { pacedBytes == 0 ? .zero : rate.time(toSend: pacedBytes) }

    /// The bytes of a stream that wait to be sent again.
    @usableFromInline package func repairBytes(of stream: Int) -> Int {
        var bytes = 0
        for offset in 0..<retransmissions.count where retransmissions[offset].stream == stream {
            bytes += retransmissions[offset].packet.size
        }
        return bytes
    }

    /// The waiting frames of a stream, and their bytes. Frames that were queued at different times count separately.
    @usableFromInline package func pictures(of stream: Int) -> (count: Int, bytes: Int) {
        var (count, bytes) = (0, 0)
        var last: Instant?
        for offset in 0..<video.count where video[offset].stream == stream {
            bytes += video[offset].packet.size
            if video[offset].queued != last { count += 1 }
            last = video[offset].queued
        }
        return (count, bytes)
    }

    /// Queues a packet of the stream to which the owner gave the number `stream`.
    @usableFromInline package mutating func enqueue(
        _ packet: RTPPacketReference, stream: Int, priority: Priority, at now: Instant
    ) {
        let entry = Entry(stream: stream, packet: packet, queued: now, priority: priority)
        switch priority {
        case .audio: audio.append(entry)
        case .retransmission:
            retransmissions.append(entry)
            pacedBytes += packet.size
        case .video:
            video.append(entry)
            pacedBytes += packet.size
        case .padding: padding.append(entry)
        }
    }

    /// Removes padding that has not left: it belongs after the frame before.
    @usableFromInline package mutating func removePadding() {
        while padding.popFirst() != nil {}
    }

    /// The packet that leaves next, or `nil` when none may leave at `now`.
    @usableFromInline package mutating func next(at now: Instant) -> Entry? {
        if let entry = audio.popFirst() {
            charge(entry.packet.size, at: now)
            return entry
        }
        guard let size = firstPaced?.packet.size else { return nil }
        settle(at: now)
        if paidUntil <= now { burstEnd = now + Self.burst }
        guard paidUntil < burstEnd, now < burstEnd else { return nil }
        guard let entry = retransmissions.popFirst() ?? video.popFirst() else {
            charge(size, at: now)
            return padding.popFirst()
        }
        charge(size, at: now)
        pacedBytes -= size
        return entry
    }

    /// Refunds the packet that ``next(at:)`` returned last, because it was not sent.
    @usableFromInline package mutating func refund() {
        paidUntil = paidUntil - lastCharge
        lastCharge = .zero
    }

    /// The size in bytes of the packet that ``next(at:)`` would return; `nil` when none may leave. For callers that
    /// have to know whether it fits.
    @usableFromInline package func nextSize(at now: Instant) -> Int? {
        guard nextDeadline <= now || (paidUntil < burstEnd && now < burstEnd) else { return nil }
        return (audio.first ?? firstPaced)?.packet.size
    }

    /// When the next packet may leave; `.distantFuture` when none waits.
    @usableFromInline package var nextDeadline: Instant {
        if !audio.isEmpty { return Instant(nanoseconds: .min) }
        return firstPaced == nil ? .distantFuture : paidUntil
    }

    private var firstPaced: Entry? { isHeld ? nil : retransmissions.first ?? video.first ?? padding.first }

    /// Removes the waiting packets of a stream that has ended.
    @usableFromInline package mutating func removeAll(of stream: Int) {
        audio = Self.without(stream, audio)
        video = Self.without(stream, video)
        padding = Self.without(stream, padding)
        removeRetransmissions(of: stream)
    }

    /// Removes the waiting retransmissions of a stream.
    @usableFromInline package mutating func removeRetransmissions(of stream: Int) {
        retransmissions = Self.without(stream, retransmissions)
        countPaced()
    }

    /// Removes the waiting frames of a stream, except the packets for which `isKept` returns `true`.
    @usableFromInline package mutating func removeVideoFrames(
        of stream: Int, unless isKept: (RTPPacketReference) -> Bool
    ) {
        var kept = RingBuffer<Entry>()
        for offset in 0..<video.count where video[offset].stream != stream || isKept(video[offset].packet) {
            kept.append(video[offset])
        }
        video = kept
        countPaced()
    }

    private mutating func countPaced() {
        pacedBytes = 0
        for offset in 0..<retransmissions.count { pacedBytes += retransmissions[offset].packet.size }
        for offset in 0..<video.count { pacedBytes += video[offset].packet.size }
    }

    private static func without(_ stream: Int, _ queue: RingBuffer<Entry>) -> RingBuffer<Entry> {
        var kept = RingBuffer<Entry>()
        for offset in 0..<queue.count where queue[offset].stream != stream { kept.append(queue[offset]) }
        return kept
    }

    private mutating func charge(_ size: Int, at now: Instant) {
        var time = max(rate, Bitrate(bitsPerSecond: 1_000)).time(toSend: size)
        // Raises the rate just enough to empty the queue within its maximum time.
        if queueTime > maximumQueueTime, queueTime.nanoseconds > 0 {
            time = .nanoseconds(
                Int64(Double(time.nanoseconds) * maximumQueueTime.seconds / queueTime.seconds))
        }
        settle(at: now)
        paidUntil = paidUntil + time
        lastCharge = time
    }

    /// Discards savings beyond the credit.
    private mutating func settle(at now: Instant) {
        paidUntil = max(paidUntil, now - savings)
    }
}
