@testable import RTCSignaling

/// A log as the nodes of a server share it: slow, and it loses requests and answers, or carries them out late.
final class VirtualLog {
    private let time: VirtualTime
    private(set) var entries: [[UInt8]] = []
    private(set) var snapshot: (bytes: [UInt8], position: UInt64)?
    private(set) var trimmed: UInt64 = 0
    /// The longest delay of a request or an answer, in milliseconds.
    var slowness = 10
    /// How many of a hundred requests, and of a hundred answers, are lost.
    var losses = 0
    private(set) var snapshots = 0
    private var readers: [() -> Void] = []

    /// When a request without an answer has failed.
    static let timeout: Duration = .seconds(2)

    init(_ time: VirtualTime) {
        self.time = time
    }

    var end: UInt64 { UInt64(entries.count) }

    func delay() -> Duration { time.between(1, slowness) }

    func onAppend(_ reader: @escaping () -> Void) { readers.append(reader) }

    /// - Parameter failed: Called if the node never learns that it was stored.
    func append(_ entry: [UInt8], isReachable: Bool, failed: @escaping () -> Void) {
        if !isReachable {
            // Bytes that wait in a socket are carried out when the connection is there again.
            if time.chance(40) { time.after(time.between(1, 12_000)) { self.store(entry) } }
            time.after(Self.timeout, failed)
            return
        }
        let (loses, losesAnswer) = (time.chance(losses), time.chance(losses))
        if !loses { time.after(delay()) { self.store(entry) } }
        if loses || losesAnswer { time.after(Self.timeout, failed) }
    }

    private func store(_ entry: [UInt8]) {
        entries.append(entry)
        for reader in readers { reader() }
    }

    /// The entry at a position, or the first that is left behind it.
    func entry(from position: UInt64) -> (bytes: [UInt8], position: UInt64)? {
        let first = max(position, trimmed + 1)
        guard first <= end else { return nil }
        return (entries[Int(first - 1)], first)
    }

    func save(_ bytes: [UInt8], position: UInt64) {
        guard position > snapshot?.position ?? 0 else { return }
        snapshot = (bytes, position)
        snapshots += 1
    }

    func trim(through position: UInt64) {
        trimmed = max(trimmed, position)
    }
}
