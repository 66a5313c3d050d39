internal import RTCWire

/// The `endCall`s that are expected after signals that have ended a call already.
struct ExpectedEndCalls {
    private static let capacity = 16

    private var expected: [(peer: PeerID, until: Instant)] = []

    mutating func expect(from peer: PeerID, at now: Instant) {
        if expected.count == Self.capacity { expected.removeFirst() }
        expected.append((peer, now + CallTimes.endCallLifetime))
    }

    /// Returns whether an `endCall` from `peer` was expected, and removes it.
    mutating func take(from peer: PeerID, at now: Instant) -> Bool {
        expected.removeAll { $0.until < now }
        guard let index = expected.firstIndex(where: { $0.peer == peer }) else { return false }
        expected.remove(at: index)
        return true
    }
}
