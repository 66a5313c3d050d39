internal import RTCWire

/// Tracks the missing packets of a stream, and schedules NACKs for each.
///
/// On a network that is known to reorder, a gap is not requested at once: it waits for as many later packets, and as
/// long, as reordering has been observed, but no longer than a round trip, in which a retransmission could have
/// arrived. A request is repeated after a round trip, ten times at most, and given up after a second. If more is
/// missing than is worth repairing, everything is given up. Costs nothing per packet while nothing is missing.
struct MissingPackets: Sendable {
    private struct Slot: Sendable {
        /// −1 when the slot is free.
        var number: Int64 = -1
        var noticed = Instant.zero
        var asked = Instant.zero
        var requests: UInt8 = 0
    }

    /// The span of numbers within which packets are asked for; a power of two.
    static let window: Int64 = 1_024
    /// The most missing packets that are repaired.
    static let maximumMissing = 600
    static let maximumRequests: UInt8 = 10
    static let maximumAge = TimeDelta.milliseconds(1_000)
    /// The limits of the time that a gap waits on a reordering network.
    static let reorderingDelays = (least: TimeDelta.milliseconds(10), most: TimeDelta.milliseconds(200))
    static let maximumReordering: Int64 = 128
    /// The shortest interval between requests for a packet.
    static let minimumInterval = TimeDelta.milliseconds(15)

    private var slots: [Slot] = []
    /// All missing numbers are in `lowest ..< end`.
    private var lowest: Int64 = 0
    private var end: Int64 = 0
    private(set) var count = 0
    /// The lowest number not yet requested, unless it has arrived since; `.max` for none.
    private var lowestUnasked = Int64.max
    /// The number of later packets that a gap waits for, and the time.
    private var reordering: Int64 = 0
    private(set) var reorderingDelay = reorderingDelays.least
    /// The number of rounds in which packets were requested.
    private var rounds = 0
    /// The time of the next request.
    private(set) var deadline = Instant.distantFuture
    /// Set when packets were given up; the reader clears it.
    var gaveUp = false

    private func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number & (Self.window - 1)) }

    /// Notes that a newly arrived packet skipped the numbers in `range`.
    mutating func skipped(_ range: Range<Int64>, at now: Instant) {
        guard !range.isEmpty else { return }
        if slots.isEmpty { slots = [Slot](repeating: Slot(), count: Int(Self.window)) }
        if range.count + count > Self.maximumMissing {
            removeAll()
            gaveUp = true
            return
        }
        // Packets that leave the window are given up.
        let before = count
        forget(before: range.upperBound - Self.window)
        if count < before { gaveUp = true }
        if count == 0 { lowest = range.lowerBound }
        for number in range { slots[slot(number)] = Slot(number: number, noticed: now) }
        count += range.count
        end = range.upperBound
        lowestUnasked = min(lowestUnasked, range.lowerBound)
        deadline = min(deadline, reordering == 0 ? now : now + reorderingDelay)
    }

    /// Notes that a packet arrived as a retransmission on the RTX stream.
    mutating func repaired(_ number: Int64) {
        guard count > 0, slots[slot(number)].number == number else { return }
        remove(number)
    }

    /// Notes a packet that is not the newest.
    ///
    /// - Parameters:
    ///   - highest: The newest number.
    ///   - isOriginal: Whether it is certainly not a response to a request.
    mutating func arrived(
        _ number: Int64, highest: Int64, isOriginal: Bool, roundTripTime: TimeDelta, at now: Instant
    ) {
        guard count > 0, slots[slot(number)].number == number else { return }
        if isOriginal || slots[slot(number)].requests == 0 {
            learnReordering(by: highest - number, now - slots[slot(number)].noticed, roundTripTime: roundTripTime)
        }
        remove(number)
    }

    private mutating func learnReordering(by distance: Int64, _ lateness: TimeDelta, roundTripTime: TimeDelta) {
        reordering = min(max(reordering, distance), Self.maximumReordering)
        let most = min(max(roundTripTime, Self.reorderingDelays.least), Self.reorderingDelays.most)
        let wanted = min(lateness + lateness / 4, most)
        // A single stray packet moves the delay only half of the way.
        if wanted > reorderingDelay { reorderingDelay = (reorderingDelay + wanted) / 2 }
    }

    /// Notes a newer packet, which may make a gap due.
    ///
    /// - Parameter highest: The newest number.
    mutating func newer(_ highest: Int64, at now: Instant) {
        guard count > 0, lowestUnasked < highest - reordering else { return }
        deadline = min(deadline, now)
    }

    private mutating func remove(_ number: Int64) {
        slots[slot(number)].number = -1
        count -= 1
        if count == 0 { deadline = .distantFuture }
    }

    /// Stops requesting numbers before `number`.
    mutating func forget(before number: Int64) {
        guard count > 0, lowest < number else { return }
        for missing in lowest..<min(number, end) where slots[slot(missing)].number == missing { remove(missing) }
        lowest = min(number, end)
    }

    /// Stops requesting the numbers in `range`.
    mutating func forget(_ range: Range<Int64>) {
        guard count > 0, range.lowerBound < end, range.upperBound > lowest else { return }
        for number in max(range.lowerBound, lowest)..<min(range.upperBound, end)
        where slots[slot(number)].number == number { remove(number) }
    }

    mutating func removeAll() {
        forget(before: end)
    }

    /// Passes the numbers that are due at `now` to `ask`, in ascending order, until it returns `false`; gives up those
    /// that are too old; and sets the next deadline.
    mutating func requestDue(
        at now: Instant, roundTripTime: TimeDelta, highest: Int64, _ ask: (RTPSequenceNumber) -> Bool
    ) {
        guard count > 0 else { return }
        let interval = max(roundTripTime + roundTripTime / 4, Self.minimumInterval)
        var next = Instant.distantFuture
        var isFull = false
        var hasAsked = false
        var newLowest = end
        lowestUnasked = .max
        for number in lowest..<end where slots[slot(number)].number == number {
            let missing = slots[slot(number)]
            if missing.requests >= Self.maximumRequests && now - missing.asked >= interval
                || now - missing.noticed >= Self.maximumAge
            {
                remove(number)
                gaveUp = true
                continue
            }
            newLowest = min(newLowest, number)
            let due: Instant
            if missing.requests == 0 {
                due = highest - number > reordering ? missing.noticed : missing.noticed + reorderingDelay
            } else {
                due = missing.asked + interval
            }
            if due > now || isFull {
                if missing.requests == 0 { lowestUnasked = min(lowestUnasked, number) }
                next = min(next, max(due, now))
            } else if ask(RTPSequenceNumber(UInt16(truncatingIfNeeded: number))) {
                slots[slot(number)].requests += 1
                slots[slot(number)].asked = now
                next = min(next, now + interval)
                hasAsked = true
            } else {
                isFull = true
                if missing.requests == 0 { lowestUnasked = min(lowestUnasked, number) }
                next = min(next, now)
            }
        }
        lowest = newLowest
        deadline = count == 0 ? .distantFuture : next
        if hasAsked { forgetReordering() }
    }

    /// Reduces the reordering estimates gradually, in case the network has stopped reordering.
    private mutating func forgetReordering() {
        rounds += 1
        if rounds % 16 == 0 { reorderingDelay = max(reorderingDelay * 3 / 4, Self.reorderingDelays.least) }
        if rounds % 64 == 0 { reordering /= 2 }
    }
}
