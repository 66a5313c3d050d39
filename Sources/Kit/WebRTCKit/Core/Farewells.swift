internal import RTCWire

/// The `endCall`s that are still to come, each of which belongs to a signal that was taken.
struct Farewells {
    private static let capacity = 16

    private var expected: [(peer: PeerID, until: Instant)] = []

    mutating func expect(from peer: PeerID, at now: Instant) {
        if expected.count == Self.capacity { expected.removeFirst() }
        expected.append((peer, now + CallTimes.farewellLifetime))
    }

    /// Whether an `endCall` that came from `peer` is one of them. It is then no longer expected.
    mutating func take(from peer: PeerID, at now: Instant) -> Bool {
        expected.removeAll { $0.until < now }
        guard let index = expected.firstIndex(where: { $0.peer == peer }) else { return false }
        expected.remove(at: index)
        return true
    }
}
