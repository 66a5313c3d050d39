internal import NIOCore

/// Counts what comes from each network: one IPv4 address, or the /64 of an IPv6 address, which one customer has.
final class AddressTable {
    struct Key: Hashable {
        private let high: UInt64
        private let isIPv6: Bool

        /// A name for the network, without a colon.
        var name: String {
            let (size, radix) = isIPv6 ? (16, 16) : (8, 10)
            return (1...4).map {
                String(high >> (UInt64(4 - $0) * UInt64(size)) & (1 << UInt64(size) - 1), radix: radix)
            }
            .joined(separator: isIPv6 ? "-" : ".")
        }

        /// - Returns: `nil` for addresses that are not limited: of a local socket, and loopback if so wished.
        init?(_ address: SocketAddress?, exemptsLoopback: Bool) {
            switch address {
            case .v4(let address):
                // `sin_addr` stands at 4 on every system; to name it, one would have to import the system's headers.
                let bytes = withUnsafeBytes(of: address.address) { Array($0.dropFirst(4).prefix(4)) }
                guard !exemptsLoopback || bytes[0] != 127 else { return nil }
                high = bytes.reduce(0) { $0 << 8 | UInt64($1) }
                isIPv6 = false
            case .v6(let address):
                // `sin6_addr` stands at 8.
                let bytes = withUnsafeBytes(of: address.address) { Array($0.dropFirst(8).prefix(16)) }
                let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
                if isMapped {
                    guard !exemptsLoopback || bytes[12] != 127 else { return nil }
                    high = bytes[12...].reduce(0) { $0 << 8 | UInt64($1) }
                    isIPv6 = false
                } else {
                    let isLoopback = bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
                    guard !exemptsLoopback || !isLoopback else { return nil }
                    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
                    isIPv6 = true
                }
            case .unixDomainSocket, nil: return nil
            }
        }
    }

    /// What one network does.
    final class Entry {
        fileprivate(set) var sockets = 0
        fileprivate var newSockets: TokenBucket
        var messages: TokenBucket

        fileprivate init(_ limits: ServerLimits, at now: Duration) {
            newSockets = TokenBucket(limits.newSocketsPerAddress, at: now)
            messages = TokenBucket(limits.messagesPerAddress, at: now)
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
        let entry = entries[key] ?? Entry(limits, at: now)
        entries[key] = entry
        entry.newSockets.take(1, limits.newSocketsPerAddress, at: now)
        guard entry.newSockets.tokens >= 0, entry.sockets < limits.socketsPerAddress else {
            // A refusal costs nothing, or one who never stops trying would never get in again.
            entry.newSockets.giveBack(1)
            return .refused
        }
        entry.sockets += 1
        return .admitted(entry)
    }

    func release(_ entry: Entry?) {
        entry?.sockets -= 1
    }

    /// Forgets networks of which there is nothing to remember.
    func sweep(at now: Duration) {
        for (key, entry) in entries where entry.sockets <= 0 {
            if entry.newSockets.isFull(limits.newSocketsPerAddress, at: now),
                entry.messages.isFull(limits.messagesPerAddress, at: now)
            {
                entries[key] = nil
            }
        }
    }
}
