/// How far a server is on its way to its end. It only goes on.
struct ServerPhase {
    /// Whether `/readyz` says that there is no more to come.
    private(set) var isDraining = false
    /// Whether new WebSockets are refused.
    private(set) var refusesWebSockets = false
    /// Whether the server is about to end: requests are still answered, and WebSockets refused.
    private(set) var isStopping = false
    /// Whether no connection is accepted any more.
    private(set) var isOver = false

    mutating func announceDrain() { isDraining = true }

    /// - Returns: Whether WebSockets were taken until now.
    mutating func drain() -> Bool {
        defer { (isDraining, refusesWebSockets) = (true, true) }
        return !refusesWebSockets
    }

    /// - Returns: Whether WebSockets were taken until now.
    mutating func stop() -> Bool {
        isStopping = true
        return drain()
    }

    mutating func end() { (isStopping, isOver) = (true, true) }
}
