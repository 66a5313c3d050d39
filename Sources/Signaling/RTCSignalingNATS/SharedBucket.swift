internal import NATS

/// What a log needs of a bucket, which a test has in memory.
protocol SharedBucket: Sendable {
    func status() async throws(NATSError) -> KeyValueStatus
    func get(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry?
    @discardableResult
    func put(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64
    @discardableResult
    func create(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64
    @discardableResult
    func update(_ key: KeyValueKey, _ value: [UInt8], revision: UInt64) async throws(NATSError) -> UInt64
    func erase(_ filter: KeyValueFilter, before revision: UInt64?) async throws(NATSError)
    func watch(
        _ filter: KeyValueFilter, includesExisting: Bool, heartbeat: Duration
    ) async throws(NATSError) -> KeyValueWatch
}

extension KeyValueBucket: SharedBucket {}
