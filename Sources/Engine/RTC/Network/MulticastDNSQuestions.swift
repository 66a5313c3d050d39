internal import RTCWire

/// The questions to the local network that are open, as a value: without a clock, and without a socket.
///
/// Each name is asked for up to three times, a second apart. Anybody on the network may answer, and say anything: what is no
/// answer to an open question from the port of multicast DNS changes nothing.
struct MulticastDNSQuestions {
    /// What the owner is to do, in this order.
    enum Output: Hashable, Sendable {
        /// Send this to the group on every interface.
        case multicast([UInt8])
        /// The question is over; without addresses nobody has answered.
        case finished(MulticastDNSName, [IPAddress])
    }

    /// RFC 6762, section 5.2: a second at least before the first repetition.
    static let interval = TimeDelta.seconds(1)
    static let attempts = 3
    /// Names that hostile descriptions could make us ask for at once.
    static let maximumCount = 64
    private static let maximumAddresses = 8

    private struct Question {
        let name: MulticastDNSName
        var attemptsLeft: Int
        var deadline: Instant
    }

    /// The oldest first.
    private var open: [Question] = []
    private var outputs = RingBuffer<Output>()

    /// Whether no question is open: nothing that comes is listened to.
    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }

    /// When ``handleTimeout(at:)`` is due; `nil` if never.
    var nextDeadline: Instant? { open.lazy.map(\.deadline).min() }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Asks for a name, if it is not asked for already.
    ///
    /// - Returns: `false` if too many questions are open.
    mutating func ask(_ name: MulticastDNSName, at now: Instant) -> Bool {
        if open.contains(where: { $0.name == name }) { return true }
        guard open.count < Self.maximumCount else { return false }
        // The first question may be answered to us alone. That answer can end up with another program that shares the
        // port, so the repetitions ask for one to everybody.
        outputs.append(.multicast(MulticastDNSMessage.query(name, wantsUnicast: true)))
        open.append(Question(name: name, attemptsLeft: Self.attempts - 1, deadline: now + Self.interval))
        return true
    }

    /// Repeats the questions that are due, and ends those that were repeated in vain.
    mutating func handleTimeout(at now: Instant) {
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

    /// Takes a datagram that came to a socket of the group.
    mutating func receive(_ datagram: RawSpan, from remote: TransportAddress) {
        // RFC 6762, section 6: whatever comes from another port is no answer.
        guard remote.port == MulticastDNSMessage.port, !open.isEmpty else { return }
        var answers: [(name: MulticastDNSName, addresses: [IPAddress])] = []
        MulticastDNSMessage.forEachAddress(in: datagram) { name, ip in
            guard open.contains(where: { $0.name == name }) else { return }
            var ip = ip
            // A link-local address belongs to the link that the answer came from.
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
