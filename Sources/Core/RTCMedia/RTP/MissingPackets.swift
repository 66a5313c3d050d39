internal import RTCWire

/// The packets of a stream that have not arrived, and when to ask for each.
///
/// A gap is not asked for at once when the network is known to reorder: it waits for as many later packets, and for as
/// long, as the network has been seen to reorder by. It waits no longer than a round trip, since by then it could have
/// come again. What was asked for is asked for again after a round trip, ten times at most, and is given up after a
/// second. When more is missing than can be worth repeating, everything is given up. Costs nothing per packet while
/// nothing is missing.
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
    /// More than this is not repaired.
    static let maximumMissing = 600
    static let maximumRequests: UInt8 = 10
    static let maximumAge = TimeDelta.milliseconds(1_000)
    /// How long a gap waits on a network that reorders: at least, and at most.
    static let reorderingDelays = (least: TimeDelta.milliseconds(10), most: TimeDelta.milliseconds(200))
    static let maximumReordering: Int64 = 128
    /// Round trips shorter than this are not worth hurrying for.
    static let minimumInterval = TimeDelta.milliseconds(15)

    private var slots: [Slot] = []
    /// All missing numbers are in `lowest ..< end`.
    private var lowest: Int64 = 0
    private var end: Int64 = 0
    private(set) var count = 0
    /// The lowest that was never asked for, unless it has come since; `.max` for none.
    private var lowestUnasked = Int64.max
    /// How many later packets a gap waits for, and how long.
    private var reordering: Int64 = 0
    private(set) var reorderingDelay = reorderingDelays.least
    /// How often something was asked for.
    private var rounds = 0
    /// When the next one is to be asked for.
    private(set) var deadline = Instant.distantFuture
    /// Set when packets were given up; its reader clears it.
    var gaveUp = false

    private func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number & (Self.window - 1)) }

    /// Notes that the numbers `range` were skipped by a packet that has just arrived.
    mutating func skipped(_ range: Range<Int64>, at now: Instant) {
        guard !range.isEmpty else { return }
        if slots.isEmpty { slots = [Slot](repeating: Slot(), count: Int(Self.window)) }
        if range.count + count > Self.maximumMissing {
            removeAll()
            gaveUp = true
            return
        }
        // What falls out of the window makes room.
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

    /// Notes that a packet came again, on the stream of retransmissions.
    mutating func repaired(_ number: Int64) {
        guard count > 0, slots[slot(number)].number == number else { return }
        remove(number)
    }

    /// Notes that a packet arrived which is not the newest.
    ///
    /// - Parameters:
    ///   - highest: The newest one.
    ///   - isOriginal: Whether it is certain that it is not an answer to what was asked for.
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
        // A single packet that went astray moves it half the way.
        if wanted > reorderingDelay { reorderingDelay = (reorderingDelay + wanted) / 2 }
    }

    /// Notes a newer packet: one less to wait for.
    ///
    /// - Parameter highest: Its number.
    mutating func newer(_ highest: Int64, at now: Instant) {
        guard count > 0, lowestUnasked < highest - reordering else { return }
        deadline = min(deadline, now)
    }

    private mutating func remove(_ number: Int64) {
        slots[slot(number)].number = -1
        count -= 1
        if count == 0 { deadline = .distantFuture }
    }

    /// Asks for nothing before `number` any more.
    mutating func forget(before number: Int64) {
        guard count > 0, lowest < number else { return }
        for missing in lowest..<min(number, end) where slots[slot(missing)].number == missing { remove(missing) }
        lowest = min(number, end)
    }

    mutating func removeAll() {
        forget(before: end)
    }

    /// Hands what is to be asked for at `now` to `ask`, in rising order, until it answers `false`; gives up what is too
    /// old; and sets the next deadline.
    mutating func ask(
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

    /// A network that stops reordering is believed after a while.
    private mutating func forgetReordering() {
        rounds += 1
        if rounds % 16 == 0 { reorderingDelay = max(reorderingDelay * 3 / 4, Self.reorderingDelays.least) }
        if rounds % 64 == 0 { reordering /= 2 }
    }
}
