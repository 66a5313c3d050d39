import RTCNetwork
import RTCWire

/// Resolves the mDNS names of candidates, from the query to the resulting addresses. Traps if it finds an
/// error.
struct MulticastDNSLookups {
    private var questions = MulticastDNSQuestions()
    private var lookups: [MulticastDNSName: AddressLookup] = [:]
    private var sent = 0
    private var asked = 0

    init() {}

    /// The names that are being resolved, which a hostile response would contain.
    var names: [String] { lookups.keys.map(\.description).sorted() }

    /// Resolves the host name of a candidate, if it is an mDNS name.
    mutating func ask(_ host: String, needsNAT64: Bool = false, at now: Instant) {
        guard let name = MulticastDNSName(host) else { return }
        precondition(MulticastDNSName(name.description) == name, "asked for under another name: \(host)")
        let isNew = lookups[name] == nil
        guard questions.ask(name, at: now) else {
            precondition(isNew && questions.count == MulticastDNSQuestions.maximumCount, "refused without need")
            return
        }
        if isNew {
            asked += 1
            lookups[name] = AddressLookup(
                name.description, needsNAT64: needsNAT64, timeout: .seconds(5), at: now)
        }
        drain(at: now)
    }

    /// Handles a datagram from the local network.
    mutating func receive(_ datagram: [UInt8], from remote: TransportAddress, at now: Instant) {
        datagram.withUnsafeBytes { bytes in
            let message = RawSpan(_unsafeBytes: bytes)
            var found = 0
            MulticastDNSMessage.forEachAddress(in: message) { name, _ in
                found += 1
                precondition(MulticastDNSName(name.description) == name, "a name that is none: \(name)")
            }
            precondition(found <= 64, "one message, \(found) addresses")
            questions.receive(message, from: remote)
        }
        drain(at: now)
    }

    mutating func handleTimeout(at now: Instant) {
        questions.handleTimeout(at: now)
        drain(at: now)
        precondition(questions.nextDeadline.map { $0 > now } ?? true, "the deadline stays in the past")
    }

    private mutating func drain(at now: Instant) {
        while let output = questions.pollOutput() {
            switch output {
            case .multicast(let message):
                sent += 1
                precondition(message.count <= 512, "a question that is longer than a datagram may be")
                message.withUnsafeBytes {
                    MulticastDNSMessage.forEachAddress(in: RawSpan(_unsafeBytes: $0)) { _, _ in
                        preconditionFailure("our own question reads as an answer")
                    }
                }
            case .finished(let name, let addresses):
                guard var lookup = lookups.removeValue(forKey: name) else {
                    preconditionFailure("an answer to what nobody asks, or asks no more: \(name)")
                }
                precondition(addresses.count <= 8, "addresses without bound")
                lookup.receive(fromMulticast: addresses, at: now)
                checkEnd(of: &lookup)
            }
        }
        precondition(questions.count == lookups.count, "a question was forgotten")
        precondition(sent <= MulticastDNSQuestions.attempts * asked, "asked too often")
    }

    /// Checks the results for a connection: few addresses, each once and plausible, and then the end.
    private func checkEnd(of lookup: inout AddressLookup) {
        var found: [IPAddress] = []
        var settled = 0
        while let output = lookup.pollOutput() {
            switch output {
            case .found(let addresses): found += addresses
            case .settled(let result):
                settled += 1
                precondition((try? result.get()) ?? [] == found, "settled on others than were found")
            }
        }
        precondition(settled == 1 && lookup.isOver, "the lookup has no end")
        precondition(found.count <= 2 * AddressLookup.maximumAddresses && Set(found).count == found.count)
        for ip in found {
            precondition(!ip.isMulticast && !ip.isUnspecified && !ip.isIPv4Mapped, "no machine has this address: \(ip)")
        }
    }
}
