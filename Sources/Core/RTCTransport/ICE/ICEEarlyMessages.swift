import RTCWire

/// The candidates and checks of a peer whose description has not arrived.
struct ICEEarlyMessages {
    private static let maximumCandidates = 64
    private static let maximumChecks = 16

    private var candidates: [ICECandidate] = []
    private var checks: [ICEEarlyCheck] = []

    /// The paths on which the checks arrived.
    var paths: some Sequence<TransportPath> { checks.lazy.map(\.path) }

    /// Keeps a candidate.
    ///
    /// - Returns: Whether there was room.
    mutating func hold(_ candidate: ICECandidate) -> Bool {
        guard candidates.count < Self.maximumCandidates else { return false }
        candidates.append(candidate)
        return true
    }

    /// Keeps an authenticated check, once per path.
    ///
    /// - Returns: Whether there was room.
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

    /// Removes and returns all candidates.
    mutating func takeCandidates() -> [ICECandidate] {
        defer { candidates = [] }
        return candidates
    }

    /// Removes and returns the checks of the peer with this username fragment.
    mutating func takeChecks(of remoteFragment: String?) -> [ICEEarlyCheck] {
        defer { checks.removeAll { $0.remoteFragment == remoteFragment } }
        return checks.filter { $0.remoteFragment == remoteFragment }
    }

    mutating func forgetChecks() { checks = [] }

    mutating func forgetChecks(on socket: SocketID) { checks.removeAll { $0.path.socket == socket } }

    mutating func removeAll() { self = ICEEarlyMessages() }
}
