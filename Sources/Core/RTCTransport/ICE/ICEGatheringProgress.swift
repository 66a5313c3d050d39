import RTCWire

/// How far gathering has come: it completes when no more sockets come and all servers and relays have answered, or after its time.
struct ICEGatheringProgress {
    private(set) var state = ICEGatheringState.new
    private(set) var hasStarted = false
    /// Whether the owner has said that no more sockets and servers come.
    private(set) var haveSocketsEnded = false
    /// Whether relays are still being asked for.
    private var awaitsRelays = false
    /// When gathering is complete even if servers have not answered.
    private var endsAt: Instant?

    /// When ``update(isWaiting:at:)`` has something to do, whatever servers answer.
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

    /// A late socket or server opens gathering again.
    ///
    /// - Returns: Whether the state has changed.
    mutating func reopen(until end: Instant) -> Bool {
        guard haveSocketsEnded else { return false }
        endsAt = end
        return set(.gathering)
    }

    /// A restart begins: sockets may come again.
    mutating func restart() { haveSocketsEnded = false }

    /// After a restart the candidates are announced anew.
    ///
    /// - Returns: Whether the state has changed.
    mutating func beginAgain() -> Bool {
        endsAt = nil
        guard hasStarted else { return false }
        return set(.gathering)
    }

    /// - Returns: Whether that is news.
    mutating func setAwaitsRelays(_ awaitsRelays: Bool) -> Bool {
        defer { self.awaitsRelays = awaitsRelays }
        return self.awaitsRelays != awaitsRelays
    }

    /// Completes gathering when nothing is waited for any more.
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
