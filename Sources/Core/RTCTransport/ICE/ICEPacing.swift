import RTCWire

/// Paces ordinary transactions (RFC 8445, section 14.2), one every Ta. Checks and server requests take turns.
struct ICEPacing {
    /// When the next one may start.
    private(set) var nextSlot = Instant(nanoseconds: .min)
    private var lastWasCheck = false

    func isOpen(at now: Instant) -> Bool { nextSlot <= now }

    /// Whether the next slot is for a check, if there is one to start.
    func isCheckNext(serversWait: Bool) -> Bool { !lastWasCheck || !serversWait }

    /// Records what the slot was used for.
    mutating func recordUse(forCheck isCheck: Bool) { lastWasCheck = isCheck }

    mutating func wait(until next: Instant) { nextSlot = next }
}
