import RTCWire

/// The candidates and checks of a peer whose description has not come.
struct ICEEarlyMessages {
    private static let maximumCandidates = 64
    private static let maximumChecks = 16

    private var candidates: [ICECandidate] = []
    private var checks: [ICEEarlyCheck] = []

    /// Where the checks came from.
    var paths: some Sequence<TransportPath> { checks.lazy.map(\.path) }

    /// - Returns: Whether there is room.
    mutating func hold(_ candidate: ICECandidate) -> Bool {
        guard candidates.count < Self.maximumCandidates else { return false }
        candidates.append(candidate)
        return true
    }

    /// Keeps what an authenticated check has told, once per path.
    ///
    /// - Returns: Whether there is room.
    mutating func hold(_ check: ICEEarlyCheck) -> Bool {
        if let index = checks.firstIndex(where: {
            $0.path == check.path && $0.remoteFragment == check.remoteFragment
        }) {
            checks[index].usesCandidate = checks[index].usesCandidate || check.usesCandidate
            return true
        }
        guard checks.count < Self.maximumChecks else { return false }
        checks.append(check)
        return true
    }

    /// All candidates, which are held no longer.
    mutating func takeCandidates() -> [ICECandidate] {
        defer { candidates = [] }
        return candidates
    }

    /// The checks of the peer with this user name fragment, which are held no longer.
    mutating func takeChecks(of remoteFragment: String?) -> [ICEEarlyCheck] {
        defer { checks.removeAll { $0.remoteFragment == remoteFragment } }
        return checks.filter { $0.remoteFragment == remoteFragment }
    }

    mutating func forgetChecks() { checks = [] }

    mutating func forgetChecks(on socket: SocketID) { checks.removeAll { $0.path.socket == socket } }

    mutating func removeAll() { self = ICEEarlyMessages() }
}
