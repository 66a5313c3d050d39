package import RTCWire

/// The logic of one name lookup, as a value: without a clock or a name server.
///
/// Queries IPv6 and IPv4 in parallel, and reports each address as it arrives. A name server may be slow, silent, or
/// wrong: once one family is there, the other is waited for only briefly; after ``timeout`` the lookup ends; only a
/// few, usable addresses are accepted.
///
/// Without IPv4, IPv4 addresses are reached through NAT64 if the network has it (RFC 7050): its prefix is queried in
/// parallel, and prepended.
package struct AddressLookup {
    package enum Question: Hashable, Sendable, CaseIterable {
        /// AAAA
        case ipv6
        /// A
        case ipv4
        /// AAAA of ``NAT64Prefix/discoveryName``
        case nat64
    }

    package enum Answer: Hashable, Sendable {
        case addresses([IPAddress])
        /// The name does not exist, or has no address of this family.
        case notFound
        /// The name server did not answer, or failed.
        case noServer
    }

    /// A request or result for the owner.
    package enum Output: Hashable, Sendable {
        /// Addresses that had not been found before. May come after `settled`.
        case found([IPAddress])
        /// The lookup has found addresses, or will not find any: no more waiting is needed. Emitted once.
        case settled(Result<[IPAddress], ResolutionError>)
    }

    /// The most addresses per family. More would not make the server any better.
    package static let maximumAddresses = 2
    /// The wait for the second family after the first (RFC 8305, section 3, uses 50 ms; here only the end of the lookup
    /// waits).
    static let secondFamilyDelay = TimeDelta.milliseconds(250)

    let host: String
    /// The queries to send at once.
    let questions: [Question]
    private(set) var found: [IPAddress] = []
    private var open: Set<Question>
    private var hasFailed = false
    private var isSettled = false
    /// IPv4 addresses that wait for a NAT64 prefix.
    private var held: [IPAddress] = []
    private var prefixes: [NAT64Prefix] = []
    private let needsNAT64: Bool
    private var settleDeadline: Instant?
    private let deadline: Instant
    private var outputs: [Output] = []

    /// - Parameters:
    ///   - host: A name, or a literal address.
    ///   - needsNAT64: Whether this machine has IPv6 and no IPv4.
    package init(_ host: String, needsNAT64: Bool, timeout: TimeDelta, at now: Instant) {
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

    /// Whether the lookup is complete.
    package var isOver: Bool { open.isEmpty && outputs.isEmpty }

    /// When ``handleTimeout(at:)`` is due; `nil` if never.
    var nextDeadline: Instant? {
        guard !open.isEmpty else { return nil }
        return isSettled ? deadline : min(settleDeadline ?? deadline, deadline)
    }

    package mutating func pollOutput() -> Output? { outputs.isEmpty ? nil : outputs.removeFirst() }

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

    /// Takes the mDNS response for a `.local` name, possibly empty. It counts for both families, and needs no prefix.
    package mutating func receive(fromMulticast addresses: [IPAddress], at now: Instant) {
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

    /// Adds IPv4 addresses, unchanged if there is no prefix: they are useful for error messages at least.
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

    /// Filters out addresses that no server can have, as sent by wrong or blocking name servers.
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
