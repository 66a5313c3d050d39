internal import NIOCore
internal import RTCWire

/// Limits by network: an IPv4 address, or the /64, /56 and /48 of an IPv6 address, each of which some provider assigns to one
/// customer; wider ones have higher limits.
final class AddressTable {
    struct Key: Hashable {
        private let high: UInt64
        private let isIPv6: Bool
        /// The prefix length of an IPv6 network.
        private var bits: UInt64 = 64

        private static let lengths: [UInt64] = [64, 56, 48]

        /// The next wider network that contains this one.
        fileprivate var wider: Key? {
            guard isIPv6, let bits = Self.lengths.first(where: { $0 < bits }) else { return nil }
            return Key(high: high & ~0 << (64 - bits), isIPv6: true, bits: bits)
        }

        /// The widest network that contains this one.
        var widest: Key { wider?.widest ?? self }

        /// The factor for its limits.
        fileprivate var factor: Int { isIPv6 ? 1 << (Self.lengths.firstIndex(of: bits) ?? 0) : 1 }

        private init(high: UInt64, isIPv6: Bool, bits: UInt64) {
            (self.high, self.isIPv6, self.bits) = (high, isIPv6, bits)
        }

        /// The name of the network, without colons.
        var name: String {
            let (size, radix) = isIPv6 ? (16, 16) : (8, 10)
            // A /48 is three groups.
            return (1...(isIPv6 ? Int(bits + 15) / 16 : 4)).map {
                String(high >> (UInt64(4 - $0) * UInt64(size)) & (1 << UInt64(size) - 1), radix: radix)
            }
            .joined(separator: isIPv6 ? "-" : ".")
        }

        init(_ address: IPAddress) {
            let address = address.unmapped
            if let halves = address.v6Halves {
                (high, isIPv6) = (halves.high, true)
            } else {
                (high, isIPv6) = (UInt64(address.v4Bits ?? 0), false)
            }
        }

        /// - Returns: `nil` for addresses without limits: Unix sockets, and loopback if it is exempt.
        init?(_ address: SocketAddress?, exemptsLoopback: Bool) {
            guard let address = IPAddress(of: address), !exemptsLoopback || !address.isLoopback else { return nil }
            self.init(address)
        }
    }

    /// The usage of one network.
    final class Entry {
        fileprivate(set) var sockets = 0
        fileprivate let mostSockets: Int
        fileprivate var newSockets: Meter
        private var messages: Meter
        private var bytes: Meter
        /// The next wider network.
        fileprivate let wider: Entry?
        /// The sockets of the widest network, which are served in turn.
        private(set) var networkQueue = InputScheduler.NetworkQueue()

        fileprivate init(_ limits: ServerLimits, _ key: Key, wider: Entry?, at now: Duration) {
            let factor = key.factor
            self.wider = wider
            mostSockets = limits.socketsPerAddress * factor
            newSockets = Meter(limits.newSocketsPerAddress * Double(factor), at: now)
            messages = Meter(limits.messagesPerAddress * Double(factor), at: now)
            bytes = Meter(limits.bytesPerAddress * Double(factor), at: now)
            networkQueue =
                wider?.networkQueue
                ?? InputScheduler.NetworkQueue(name: key.name) { [weak self] in self?.ownThrottleDelay(at: $0) ?? .zero
                }
        }

        func charge(messages: Double, bytes: Double, at now: Duration) {
            self.messages.take(messages, at: now)
            self.bytes.take(bytes, at: now)
            wider?.charge(messages: messages, bytes: bytes, at: now)
        }

        /// How long it has to wait, apart from the widest network, for which its line waits.
        func throttleDelay(at now: Duration) -> Duration {
            guard let wider else { return .zero }
            return max(ownThrottleDelay(at: now), wider.throttleDelay(at: now))
        }

        private func ownThrottleDelay(at now: Duration) -> Duration {
            max(messages.delay(at: now), bytes.delay(at: now))
        }

        fileprivate func isForgotten(at now: Duration) -> Bool {
            sockets <= 0 && newSockets.isFull(at: now) && messages.isFull(at: now) && bytes.isFull(at: now)
        }

        fileprivate var chain: [Entry] { [self] + (wider?.chain ?? []) }
    }

    /// A token bucket with its limit.
    fileprivate struct Meter {
        private let limit: TokenBucket.Limit
        private(set) var bucket: TokenBucket

        init(_ limit: TokenBucket.Limit, at now: Duration) {
            self.limit = limit
            bucket = TokenBucket(limit, at: now)
        }

        mutating func take(_ count: Double, at now: Duration) { bucket.take(count, limit, at: now) }
        mutating func refund(_ count: Double) { bucket.refund(count) }
        mutating func isFull(at now: Duration) -> Bool { bucket.isFull(limit, at: now) }
        mutating func delay(at now: Duration) -> Duration {
            bucket.take(0, limit, at: now)
            return bucket.delay(limit)
        }
    }

    private let limits: ServerLimits
    private var entries: [Key: Entry] = [:]

    init(_ limits: ServerLimits) {
        self.limits = limits
    }

    enum Admission {
        case admitted(Entry?)
        case refused
    }

    /// Counts a new socket, unless its network has too many or opens them too fast.
    func admit(_ key: Key?, at now: Duration) -> Admission {
        guard let key else { return .admitted(nil) }
        let chain = entry(key, at: now).chain
        for entry in chain { entry.newSockets.take(1, at: now) }
        guard chain.allSatisfy({ $0.newSockets.bucket.tokens >= 0 && $0.sockets < $0.mostSockets }) else {
            // A refusal is not counted, or a client that keeps trying would never be admitted.
            for entry in chain { entry.newSockets.refund(1) }
            return .refused
        }
        for entry in chain { entry.sockets += 1 }
        return .admitted(chain[0])
    }

    private func entry(_ key: Key, at now: Duration) -> Entry {
        if let entry = entries[key] { return entry }
        // Limits of 1, 2 and 4 times for a /64, a /56 and a /48.
        let wider = key.wider.map { self.entry($0, at: now) }
        let entry = Entry(limits, key, wider: wider, at: now)
        entries[key] = entry
        return entry
    }

    func release(_ entry: Entry?) {
        for entry in entry?.chain ?? [] { entry.sockets -= 1 }
    }

    /// Removes networks without relevant state.
    func sweep(at now: Duration) {
        let used = Set(
            entries.values.filter { !$0.isForgotten(at: now) }.flatMap { $0.chain.map(ObjectIdentifier.init) })
        entries = entries.filter { used.contains(ObjectIdentifier($0.value)) }
    }
}
