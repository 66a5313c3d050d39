import RTCWire

/// The gathering state: complete when no more sockets come and all servers and relays have answered, or after a
/// timeout.
struct ICEGatheringProgress {
    private(set) var state = ICEGatheringState.new
    private(set) var hasStarted = false
    /// Whether the owner has said that no more sockets and servers will be added.
    private(set) var haveSocketsEnded = false
    /// Whether relay allocations are pending.
    private var awaitsRelays = false
    /// The time at which gathering completes even if servers have not answered.
    private var endsAt: Instant?

    /// The time at which ``update(isWaiting:at:)`` is due, whatever servers answer.
    var nextDeadline: Instant? { state == .gathering ? endsAt : nil }

    /// - Returns: Whether the state has changed.
    mutating func start() -> Bool {
        hasStarted = true
        return set(.gathering)
    }

    mutating func endSockets(until end: Instant) {
        haveSocketsEnded = true
        endsAt = end
    }

    /// Reopens gathering for a late socket or server.
    ///
    /// - Returns: Whether the state has changed.
    mutating func reopen(until end: Instant) -> Bool {
        guard haveSocketsEnded else { return false }
        endsAt = end
        return set(.gathering)
    }

    /// Accepts sockets again, when a restart begins.
    mutating func acceptSockets() { haveSocketsEnded = false }

    /// Resets gathering after a restart, so that the candidates are announced anew.
    ///
    /// - Returns: Whether the state has changed.
    mutating func regather() -> Bool {
        endsAt = nil
        guard hasStarted else { return false }
        return set(.gathering)
    }

    /// - Returns: Whether the value has changed.
    mutating func setAwaitsRelays(_ awaitsRelays: Bool) -> Bool {
        defer { self.awaitsRelays = awaitsRelays }
        return self.awaitsRelays != awaitsRelays
    }

    /// Completes gathering when nothing is pending any more.
    ///
    /// - Parameter isWaiting: Whether servers have not answered yet.
    /// - Returns: Whether the state has changed.
    mutating func update(isWaiting: Bool, at now: Instant) -> Bool {
        guard state == .gathering, haveSocketsEnded,
            !isWaiting && !awaitsRelays || endsAt.map({ $0 <= now }) ?? true
        else { return false }
        endsAt = nil
        return set(.complete)
    }

    private mutating func set(_ new: ICEGatheringState) -> Bool {
        defer { state = new }
        return state != new
    }
}
