import RTCWire

@testable import WebRTCKit

/// A signalling server in virtual time: what one client sends reaches the other in its order, some time later.
struct ModelServer {
    /// How it treats those who are not there.
    struct Manners {
        /// Whether it keeps what is for a client that is away, or loses it.
        var keepsForAbsent: Bool
        /// Whether it tells a sender that the receiver is not there.
        var refusesForAbsent: Bool
        var latency: ClosedRange<Int64> = 1...60
    }

    struct Message {
        let arrival: Instant
        let from: Int
        let to: Int
        let outgoing: CallCore.Outgoing
    }

    let manners: Manners
    private let random: SeededRandom
    /// Whether each client's socket is open, as the server sees it.
    private(set) var isPresent = [true, true]
    private var underWay: [[Message]] = [[], []]

    init(_ manners: Manners, random: SeededRandom) {
        self.manners = manners
        self.random = random
    }

    /// - Returns: `false` if the sender is told that it cannot be sent.
    mutating func send(_ outgoing: CallCore.Outgoing, from: Int, to: Int, at now: Instant) -> Bool {
        // The sender's socket is gone, and it does not know yet.
        guard isPresent[from] else { return true }
        if !isPresent[to], !manners.keepsForAbsent { return !manners.refusesForAbsent }
        let span = UInt64(manners.latency.upperBound - manners.latency.lowerBound + 1)
        let delay = TimeDelta.milliseconds(manners.latency.lowerBound + Int64(random.next(below: span)))
        // An endCall, a signal and a candidate take the same way.
        let arrival = max(now + delay, underWay[to].last?.arrival ?? now)
        underWay[to].append(Message(arrival: arrival, from: from, to: to, outgoing: outgoing))
        return true
    }

    /// When something arrives next.
    var nextDeadline: Instant? {
        (0...1).compactMap { isPresent[$0] ? underWay[$0].first?.arrival : nil }.min()
    }

    mutating func pollDelivery(at now: Instant) -> Message? {
        for client in 0...1 where isPresent[client] {
            if let first = underWay[client].first, first.arrival <= now { return underWay[client].removeFirst() }
        }
        return nil
    }

    /// A client's socket breaks.
    mutating func lose(_ client: Int) {
        isPresent[client] = false
        if !manners.keepsForAbsent { underWay[client] = [] }
    }

    /// The server dies, with all that it knew.
    mutating func die() {
        isPresent = [false, false]
        underWay = [[], []]
    }

    mutating func connect(_ client: Int) { isPresent[client] = true }
}
