internal import RTCWire

/// The servers to connect to, in random order, and when.
struct ServerPool {
    private struct Entry {
        var server: NATSServer
        var isConfigured: Bool
    }

    private var entries: [Entry]
    private var position = -1
    /// The attempts since there was a connection.
    private(set) var tries = 0
    private let first: TimeDelta
    private let longest: TimeDelta

    init(_ servers: [NATSServer], first: TimeDelta, longest: TimeDelta, random: any RandomSource) {
        entries = []
        self.first = first
        self.longest = longest
        for server in servers where !entries.contains(where: { $0.server == server }) {
            let place = Int(random.next(below: UInt64(entries.count + 1)))
            entries.insert(Entry(server: server, isConfigured: true), at: place)
        }
    }

    var servers: [NATSServer] { entries.map(\.server) }

    /// Whether each server was tried.
    var isExhausted: Bool { tries >= entries.count }

    mutating func next() -> NATSServer? {
        guard !entries.isEmpty else { return nil }
        position = (position + 1) % entries.count
        tries += 1
        return entries[position].server
    }

    mutating func connected() {
        tries = 0
    }

    /// The time before the next attempt: between half and all of a delay that doubles with each round through the servers.
    func delay(random: any RandomSource) -> TimeDelta {
        let round = min(tries / max(entries.count, 1), 16)
        let whole = min(longest, first * (1 << Int64(round)))
        return TimeDelta(nanoseconds: Int64(Double(whole.nanoseconds) * (0.5 + random.nextUnit() / 2)))
    }

    /// Replaces the servers that a server has named earlier. The one that was connected to last stays.
    mutating func advertise(_ servers: [NATSServer], random: any RandomSource) {
        guard !servers.isEmpty else { return }
        let current = position >= 0 && position < entries.count ? entries[position].server : nil
        entries.removeAll { !$0.isConfigured && $0.server != current && !servers.contains($0.server) }
        for server in servers where !entries.contains(where: { $0.server == server }) {
            let place = Int(random.next(below: UInt64(entries.count + 1)))
            entries.insert(Entry(server: server, isConfigured: false), at: place)
        }
        position = current.flatMap { current in entries.firstIndex { $0.server == current } } ?? -1
    }
}
