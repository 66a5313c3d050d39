/// A value of a key, or the mark that one was deleted.
package struct KeyValueEntry: Hashable, Sendable {
    package enum Operation: Hashable, Sendable {
        case put
        case delete
        /// Deleted, and with it the key's history.
        case purge
    }

    package var key: KeyValueKey
    /// Empty if deleted.
    package var value: [UInt8]
    /// The number of the write in the bucket: each write of any key has a larger one than those before it.
    package var revision: UInt64
    package var operation: Operation

    package init(key: KeyValueKey, value: [UInt8], revision: UInt64, operation: Operation = .put) {
        self.key = key
        self.value = value
        self.revision = revision
        self.operation = operation
    }
}

/// What a watch tells.
package enum KeyValueChange: Hashable, Sendable {
    case entry(KeyValueEntry)
    /// The values that existed when the watch began have all come; what follows are changes. Comes once.
    case caughtUp
}

/// What a server of several nodes shares: keys with compare-and-set and watches, and messages. ``KeyValueBucket`` implements it on
/// NATS; one suite of tests runs on that and on a model in memory.
///
/// **Keys.** Writes of a bucket are in one order, that of their revisions. A write whose answer was lost
/// (``NATSError/isOutcomeUnknown``) has happened once or not at all, perhaps later: read before you write again. It never happens
/// twice. A compare-and-set that is repeated with the same revision can only succeed once.
///
/// **Watches.** A watch tells of the last entry of each key that existed when it began, in the order of revisions, then `caughtUp`,
/// then writes in that order. A write that another one of the same key has replaced before it was told may be skipped, since a
/// bucket with a history of one keeps only the last; the last write of each key is always told. That holds through lost connections
/// and killed servers, too. An entry that expires by age is not told of.
///
/// **Messages** are delivered at most once, in the order of one publisher. Subscribers that are not connected, or slow, miss some,
/// and are told that they did.
package protocol KeyValueStore: Sendable {
    /// Reads the last entry of a key, at least as new as what this client wrote last.
    ///
    /// - Returns: `nil` if there is none, or it was deleted.
    func get(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry?

    /// Writes a value if the key has none.
    ///
    /// - Returns: The revision of the entry.
    /// - Throws: ``NATSError`` `keyExists`.
    func create(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64

    /// Writes a value if `revision` is still the key's last one. Zero stands for a key that was never written.
    ///
    /// - Returns: The revision of the entry.
    /// - Throws: ``NATSError`` `wrongLastSequence`.
    func update(_ key: KeyValueKey, _ value: [UInt8], revision: UInt64) async throws(NATSError) -> UInt64

    /// Marks a key as deleted; whatever its last revision is if `revision` is `nil`.
    ///
    /// - Throws: ``NATSError`` `wrongLastSequence`.
    func delete(_ key: KeyValueKey, revision: UInt64?) async throws(NATSError)

    /// Begins a watch. It ends when its task is cancelled, or nobody has it any more.
    ///
    /// - Throws: ``NATSError`` while the watch cannot begin. Later it throws only what no waiting mends: `bucketNotFound`,
    ///   `bucketReset`, `permissionDenied`, or why the client has ended.
    func watch(_ filter: KeyValueFilter) async throws(NATSError) -> KeyValueWatch

    func publish(_ subject: NATSSubject, _ payload: [UInt8]) async throws(NATSError)

    /// Subscribes. What is published after this has returned is received.
    func subscribe(_ filter: NATSSubjectFilter) async throws(NATSError) -> NATSSubscription
}

/// The changes of keys. Read by one task.
package struct KeyValueWatch: AsyncSequence, Sendable {
    package typealias Element = KeyValueChange
    package typealias Failure = NATSError

    private let source: any KeyValueWatchSource

    package init(_ source: any KeyValueWatchSource) {
        self.source = source
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: any KeyValueWatchSource

        package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NATSError)
            -> KeyValueChange?
        {
            try await source.next()
        }
    }
}

/// Where the changes of a watch come from.
package protocol KeyValueWatchSource: Sendable {
    func next() async throws(NATSError) -> KeyValueChange?
}
