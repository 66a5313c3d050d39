public import RTCWire

/// Spreads what the streams of a transport have to send over time, so that a key frame does not leave as one burst.
///
/// Audio leaves at once; then come retransmissions, then video, as fast as the pacing rate allows, which everything
/// counts against. After a pause some may leave at once (``credit``): an ordinary picture, which has had the time since
/// the last one to save it up, is not spread. The queue holds references and no bytes. It is short in time: when it would take longer than
/// ``maximumQueueTime`` to empty, the rate is raised so that it does not; who makes frames shall look at ``queueTime``
/// and leave some out before it comes to that.
public struct Pacer: Sendable {
    public enum Priority: Sendable, Hashable {
        /// `padding` leaves when nothing else waits, and only to see what the path carries.
        case audio, retransmission, video, padding
    }

    /// A packet whose turn it is.
    @frozen
    public struct Entry: Sendable {
        /// The number that the owner gave its stream.
        public var stream: Int
        public var packet: RTPPacketReference
        /// When it was queued.
        public var queued: Instant
        public var priority: Priority
    }

    /// The rate for all but audio; 2.5 times the target is a good choice as long as the path has room for it.
    public var rate: Bitrate
    /// What may leave in addition after a pause, as time at the pacing rate: at most ``credit``.
    public var savings = Self.credit
    public var maximumQueueTime: TimeDelta
    /// Whether all but audio waits, whatever the rate.
    public var isHeld = false

    private var audio = RingBuffer<Entry>()
    private var retransmissions = RingBuffer<Entry>()
    private var video = RingBuffer<Entry>()
    private var padding = RingBuffer<Entry>()
    /// Bytes in the queues that are paced, without padding.
    private var pacedBytes = 0
    /// When what has left is paid for.
    private var paidUntil = Instant(nanoseconds: .min)
    /// Until when of the debt packets may still leave now: so that several leave in one system call.
    private var burstEnd = Instant(nanoseconds: .min)
    /// What the last packet that left was charged.
    private var lastCharge = TimeDelta.zero

    /// What may leave at once in a row, as time at the pacing rate.
    static let burst = TimeDelta.milliseconds(5)
    /// What may leave in addition after a pause of this time, as time at the pacing rate. With a rate of 2.5 times the
    /// target it is, with ``burst``, what pictures at 30 a second are on average, and half as much again.
    public static let credit = TimeDelta.milliseconds(15)

    public init(rate: Bitrate, maximumQueueTime: TimeDelta = .milliseconds(500)) {
        self.rate = rate
        self.maximumQueueTime = maximumQueueTime
    }

    public var isEmpty: Bool { isIdle && padding.isEmpty }

    /// Whether nothing waits but padding.
    public var isIdle: Bool { audio.isEmpty && retransmissions.isEmpty && video.isEmpty }

    /// Packets that wait.
    public var count: Int { audio.count + retransmissions.count + video.count + padding.count }

    /// How long the queue takes to empty at the pacing rate.
    public var queueTime: TimeDelta { pacedBytes == 0 ? .zero : rate.time(toSend: pacedBytes) }

    /// The bytes of a stream that wait to be sent again.
    public func repairBytes(of stream: Int) -> Int {
        var bytes = 0
        for offset in 0..<retransmissions.count where retransmissions[offset].stream == stream {
            bytes += retransmissions[offset].packet.size
        }
        return bytes
    }

    /// The pictures of a stream that wait, and their bytes. Pictures that are queued at different times count.
    public func pictures(of stream: Int) -> (count: Int, bytes: Int) {
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
    public mutating func enqueue(
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

    /// Forgets padding that has not left: it belongs behind the picture before.
    public mutating func removePadding() {
        while padding.popFirst() != nil {}
    }

    /// The packet that leaves next, or `nil` when none may leave at `now`.
    public mutating func next(at now: Instant) -> Entry? {
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

    /// Takes back what the packet was charged that ``next(at:)`` answered last: nothing left in the end.
    public mutating func refund() {
        paidUntil = paidUntil - lastCharge
        lastCharge = .zero
    }

    /// The bytes of the packet that ``next(at:)`` would answer; `nil` when none may leave. For who must know whether it
    /// fits before it takes it.
    public func nextSize(at now: Instant) -> Int? {
        guard nextDeadline <= now || (paidUntil < burstEnd && now < burstEnd) else { return nil }
        return (audio.first ?? firstPaced)?.packet.size
    }

    /// When the next packet may leave; `.distantFuture` when none waits.
    public var nextDeadline: Instant {
        if !audio.isEmpty { return Instant(nanoseconds: .min) }
        return firstPaced == nil ? .distantFuture : paidUntil
    }

    private var firstPaced: Entry? { isHeld ? nil : retransmissions.first ?? video.first ?? padding.first }

    /// Forgets what waits of a stream that has ended.
    public mutating func removeAll(of stream: Int) {
        audio = Self.without(stream, audio)
        video = Self.without(stream, video)
        padding = Self.without(stream, padding)
        removeRetransmissions(of: stream)
    }

    /// Forgets what waits to be sent again of a stream.
    public mutating func removeRetransmissions(of stream: Int) {
        retransmissions = Self.without(stream, retransmissions)
        countPaced()
    }

    /// Forgets the pictures of a stream that wait, except packets that are to be kept.
    public mutating func removePictures(of stream: Int, unless isKept: (RTPPacketReference) -> Bool) {
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
        // Raised just so far that the queue empties in the time it may take.
        if queueTime > maximumQueueTime, queueTime.nanoseconds > 0 {
            time = .nanoseconds(
                Int64(Double(time.nanoseconds) * maximumQueueTime.seconds / queueTime.seconds))
        }
        settle(at: now)
        paidUntil = paidUntil + time
        lastCharge = time
    }

    /// What was saved up beyond the credit is lost.
    private mutating func settle(at now: Instant) {
        paidUntil = max(paidUntil, now - savings)
    }
}
