internal import RTCWire

/// The course of one lookup, as a value: without a clock, and without a name server.
///
/// IPv6 and IPv4 are asked for side by side, and each address is used as soon as it is there. A name server may be slow,
/// silent, or wrong: when one family is there, nobody waits long for the other; after ``timeout`` the lookup is over; few
/// addresses are taken, and none that no server can have.
///
/// Where there is no IPv4, IPv4 addresses are reached through NAT64 if the network has it (RFC 7050): its prefix is asked
/// for at the same time, and put before them.
struct AddressLookup {
    enum Question: Hashable, Sendable, CaseIterable {
        /// AAAA
        case ipv6
        /// A
        case ipv4
        /// AAAA of ``NAT64Prefix/discoveryName``
        case nat64
    }

    enum Answer: Hashable, Sendable {
        case addresses([IPAddress])
        /// There is no such name, or it has no address of this family.
        case notFound
        /// The name server has not answered, or could not.
        case noServer
    }

    /// What the owner is to do, or to know.
    enum Output: Hashable, Sendable {
        /// Addresses that had not been found before. May come after `settled`.
        case found([IPAddress])
        /// Nobody need wait for the lookup any longer, since it has found something, or will not. Comes once.
        case settled(Result<[IPAddress], ResolutionError>)
    }

    /// Of each family. A name with a hundred addresses is no better server than one with two.
    static let maximumAddresses = 2
    /// The second family, after the first (RFC 8305, section 3, waits for 50 ms; here nothing waits but the end).
    static let secondFamilyDelay = TimeDelta.milliseconds(250)

    let host: String
    /// What is to be asked, at once.
    let questions: [Question]
    private(set) var found: [IPAddress] = []
    private var open: Set<Question>
    private var hasFailed = false
    private var isSettled = false
    /// IPv4 addresses that wait for a prefix.
    private var held: [IPAddress] = []
    private var prefixes: [NAT64Prefix] = []
    private let needsNAT64: Bool
    private var settleDeadline: Instant?
    private let deadline: Instant
    private var outputs: [Output] = []

    /// - Parameters:
    ///   - host: A name, or a literal address.
    ///   - needsNAT64: Whether this machine has IPv6 and no IPv4.
    init(_ host: String, needsNAT64: Bool, timeout: TimeDelta, at now: Instant) {
        self.host = host
        self.needsNAT64 = needsNAT64
        deadline = now + timeout
        if let literal = IPAddress(host) {
            questions = literal.isIPv4 && needsNAT64 ? [.nat64] : []
            open = Set(questions)
            if questions.isEmpty { add([literal]) } else { held = [literal] }
        } else {
            questions = needsNAT64 ? [.ipv6, .ipv4, .nat64] : [.ipv6, .ipv4]
            open = Set(questions)
        }
        settleIfDone()
    }

    /// Whether all is known that will be.
    var isOver: Bool { open.isEmpty && outputs.isEmpty }

    /// When ``handleTimeout(at:)`` is due; `nil` if never.
    var nextDeadline: Instant? {
        guard !open.isEmpty else { return nil }
        return isSettled ? deadline : min(settleDeadline ?? deadline, deadline)
    }

    mutating func pollOutput() -> Output? { outputs.isEmpty ? nil : outputs.removeFirst() }

    mutating func receive(_ answer: Answer, to question: Question, at now: Instant) {
        guard open.remove(question) != nil else { return }
        var addresses: [IPAddress] = []
        switch answer {
        case .addresses(let answered): addresses = answered
        case .notFound: break
        case .noServer: hasFailed = hasFailed || question != .nat64
        }
        switch question {
        case .ipv6: add(Self.usable(addresses.filter(\.isIPv6)))
        case .ipv4:
            let usable = Self.usable(addresses.filter(\.isIPv4))
            if needsNAT64, open.contains(.nat64) { held = usable } else { addIPv4(usable) }
        case .nat64:
            prefixes = NAT64Prefix.discovered(in: addresses)
            releaseHeld()
        }
        if !found.isEmpty, settleDeadline == nil { settleDeadline = now + Self.secondFamilyDelay }
        settleIfDone()
    }

    /// Takes what the local network says of a `.local` name; nothing when nobody there has it. It counts for both families,
    /// and waits for no prefix.
    mutating func receive(fromMulticast addresses: [IPAddress], at now: Instant) {
        for question in questions {
            let answer = addresses.filter { question == .ipv4 ? $0.isIPv4 : question == .ipv6 && $0.isIPv6 }
            receive(answer.isEmpty ? .notFound : .addresses(answer), to: question, at: now)
        }
    }

    mutating func handleTimeout(at now: Instant) {
        if now >= deadline {
            if !open.isEmpty { hasFailed = true }
            open = []
            releaseHeld()
            settle(orElse: .timedOut(host))
        } else if let settleDeadline, now >= settleDeadline {
            settle(orElse: .notFound(host))
        }
    }

    private mutating func releaseHeld() {
        addIPv4(held)
        held = []
    }

    /// Without a prefix an IPv4 address is told as it is: whoever cannot use it can at least name it.
    private mutating func addIPv4(_ addresses: [IPAddress]) {
        guard let prefix = prefixes.first else { return add(addresses) }
        add(addresses.map(prefix.embedding))
    }

    private mutating func add(_ addresses: [IPAddress]) {
        let new = addresses.filter { !found.contains($0) }
        guard !new.isEmpty else { return }
        found += new
        outputs.append(.found(new))
    }

    private mutating func settleIfDone() {
        guard open.isEmpty else { return }
        settle(orElse: hasFailed ? .noServer(host) : .notFound(host))
    }

    private mutating func settle(orElse error: ResolutionError) {
        guard !isSettled else { return }
        isSettled = true
        outputs.append(.settled(found.isEmpty ? .failure(error) : .success(found)))
    }

    /// What a server can have; not what a lying name server, or one that blocks names, says in its place.
    private static func usable(_ addresses: [IPAddress]) -> [IPAddress] {
        var usable: [IPAddress] = []
        for ip in addresses
        where !ip.isUnspecified && !ip.isMulticast && !ip.isIPv4Mapped && ip != IPAddress(v4: .max)
            && !(ip.isIPv6 && ip.isLinkLocal && ip.zone == 0) && !usable.contains(ip)
        {
            usable.append(ip)
            if usable.count == maximumAddresses { break }
        }
        return usable
    }
}
