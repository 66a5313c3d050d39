/// What the nodes of a server on several machines share: one log in order, and the newest snapshot of what it says.
/// A server keeps its state with the one in ``SignalingServer/Configuration/log``. The product `RTCSignalingNATS` has one on NATS;
/// implement this protocol for another broker.
///
/// **Entries** have positions 1, 2, 3 and so on, without gaps, the same for every reader. An entry whose writing failed may be in the
/// log or not, and may come to be in it later; if it is written again, it may be there twice. That does no harm.
///
/// **Nothing else is assumed**: no clock, no locks, no order between what two nodes do.
public protocol ExchangeLog: Sendable {
    /// Writes an entry, at most 512 KiB, at the end.
    ///
    /// - Parameter name: No other call has the same: letters, digits and dots.
    /// - Throws: If it was not stored, or that is unknown. It has to fail after some seconds rather than wait.
    func append(_ entry: [UInt8], name: String) async throws

    /// Begins to read. The entries come from a position on, in order, for as long as somebody reads; earlier ones may come before them.
    ///
    /// - Throws: If the log cannot be read at the moment.
    func read(from position: UInt64) async throws -> any ExchangeLogReader

    /// The newest snapshot; `nil` if there is none of this log.
    func newestSnapshot() async throws -> ExchangeSnapshot?

    /// Stores a snapshot, unless there is a newer one.
    func save(_ snapshot: ExchangeSnapshot) async throws

    /// Removes the entries up to a position. Whoever still reads them finds a gap, and begins again with the newest snapshot.
    func trim(through position: UInt64) async throws
}

/// A snapshot of the state behind an entry of a log.
public struct ExchangeSnapshot: Hashable, Sendable {
    public var bytes: [UInt8]
    /// The position of the last entry that is in it.
    public var position: UInt64

    public init(bytes: [UInt8], position: UInt64) {
        self.bytes = bytes
        self.position = position
    }
}

/// What a log has to say, in order. Read by one task.
public protocol ExchangeLogReader: Sendable {
    /// Waits for the next entry.
    ///
    /// - Returns: `nil` if the task was cancelled.
    /// - Throws: If the log cannot be read on: it was deleted, or its last entries were lost.
    func next() async throws -> ExchangeLogEvent?
}

public enum ExchangeLogEvent: Hashable, Sendable {
    case entry([UInt8], position: UInt64)
    /// The entries that existed when reading began have all come. Comes once.
    case caughtUp
}
