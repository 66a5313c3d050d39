package import RTCWire

/// The open mDNS queries, as a value: without a clock or a socket.
///
/// Queries each name up to three times, a second apart. Anyone on the network may send anything: only responses to an
/// open query from the mDNS port have an effect.
package struct MulticastDNSQuestions {
    /// A request or result for the owner, in order.
    package enum Output: Hashable, Sendable {
        /// Sends this message to the multicast group on every interface.
        case multicast([UInt8])
        /// The query has ended; no addresses mean that nobody has answered.
        case finished(MulticastDNSName, [IPAddress])
    }

    /// RFC 6762, section 5.2: at least a second before the first repetition.
    static let interval = TimeDelta.seconds(1)
    package static let attempts = 3
    /// The limit on open queries, which hostile descriptions could cause.
    package static let maximumCount = 64
    private static let maximumAddresses = 8

    private struct Question {
        let name: MulticastDNSName
        var attemptsLeft: Int
        var deadline: Instant
    }

    /// Oldest first.
    private var open: [Question] = []
    private var outputs = RingBuffer<Output>()

    package init() {}

    /// Whether no query is open, so that received messages are ignored.
    package var isEmpty: Bool { open.isEmpty }
    package var count: Int { open.count }

    /// When ``handleTimeout(at:)`` is due; `nil` if never.
    package var nextDeadline: Instant? { open.lazy.map(\.deadline).min() }

    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Starts a query for a name, unless one is open.
    ///
    /// - Returns: `false` if too many queries are open.
    package mutating func ask(_ name: MulticastDNSName, at now: Instant) -> Bool {
        if open.contains(where: { $0.name == name }) { return true }
        guard open.count < Self.maximumCount else { return false }
        // The first query allows a unicast response. That may reach another program on the shared port, so the
        // repetitions ask for multicast responses.
        outputs.append(.multicast(MulticastDNSMessage.query(name, wantsUnicast: true)))
        open.append(Question(name: name, attemptsLeft: Self.attempts - 1, deadline: now + Self.interval))
        return true
    }

    /// Repeats the queries that are due, and ends those without an answer.
    package mutating func handleTimeout(at now: Instant) {
        for index in open.indices where open[index].deadline <= now {
            guard open[index].attemptsLeft > 0 else {
                outputs.append(.finished(open[index].name, []))
                continue
            }
            outputs.append(.multicast(MulticastDNSMessage.query(open[index].name, wantsUnicast: false)))
            open[index].attemptsLeft -= 1
            open[index].deadline = now + Self.interval
        }
        open.removeAll { $0.deadline <= now }
    }

    /// Takes a datagram received on a socket of the group.
    package mutating func receive(_ datagram: RawSpan, from remote: TransportAddress) {
        // RFC 6762, section 6: responses come from the mDNS port only.
        guard remote.port == MulticastDNSMessage.port, !open.isEmpty else { return }
        var answers: [(name: MulticastDNSName, addresses: [IPAddress])] = []
        MulticastDNSMessage.forEachAddress(in: datagram) { name, ip in
            guard open.contains(where: { $0.name == name }) else { return }
            var ip = ip
            // A link-local address belongs to the link on which the response arrived.
            if ip.isLinkLocal, ip.isIPv6 { ip.zone = remote.ip.zone }
            guard let index = answers.firstIndex(where: { $0.name == name }) else {
                return answers.append((name, [ip]))
            }
            guard answers[index].addresses.count < Self.maximumAddresses, !answers[index].addresses.contains(ip) else {
                return
            }
            answers[index].addresses.append(ip)
        }
        for answer in answers { outputs.append(.finished(answer.name, answer.addresses)) }
        open.removeAll { question in answers.contains { $0.name == question.name } }
    }
}
