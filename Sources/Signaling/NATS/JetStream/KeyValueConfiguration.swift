internal import RTCWire

/// What a bucket is created with.
package struct KeyValueConfiguration: Hashable, Sendable {
    package enum Storage: String, Hashable, Sendable {
        case file
        case memory
    }

    package var name: KeyValueBucketName
    /// How many entries of each key are kept: 1 to 64.
    package var history = 1
    /// How long an entry is kept after it was written; `nil` for ever. Watches are not told when it goes.
    package var maximumAge: Duration?
    /// How many servers of a cluster have the bucket: 1 to 5, best odd.
    package var replicas = 1
    package var storage = Storage.file
    /// The largest value in bytes; `nil` for what the server accepts.
    package var maximumValueSize: Int?
    /// The size of the bucket in bytes; what does not fit is refused. `nil` without limit.
    package var maximumBytes: Int64?
    /// Whether reads may be answered by replicas that are behind: see ``KeyValueBucket/get(_:from:)``.
    package var allowsDirectReads = true

    package init(name: KeyValueBucketName) {
        self.name = name
    }
}

/// A bucket's stream, as JetStream is told of it (ADR-8).
struct StreamConfiguration: Encodable {
    var name: String
    var subjects: [String]
    var retention = "limits"
    var max_consumers = -1
    var max_msgs = -1
    var max_msgs_per_subject: Int
    var max_bytes: Int64
    var max_age: Int64
    var max_msg_size: Int
    var storage: String
    var discard = "new"
    var num_replicas: Int
    var duplicate_window: Int64
    var allow_rollup_hdrs = true
    var deny_delete = true
    var deny_purge = false
    var allow_direct: Bool

    private static let usualWindow: Int64 = 120_000_000_000

    /// - Throws: ``NATSError`` `invalidArgument`.
    init(_ configuration: KeyValueConfiguration) throws(NATSError) {
        guard 1...64 ~= configuration.history, 1...5 ~= configuration.replicas,
            configuration.maximumAge.map({ $0 >= .milliseconds(100) }) ?? true,
            configuration.maximumValueSize.map({ 1...(1 << 30) ~= $0 }) ?? true,
            configuration.maximumBytes.map({ $0 > 0 }) ?? true
        else {
            throw NATSError(
                .invalidArgument,
                "a bucket has a history of 1 to 64, 1 to 5 replicas, an age of at least 100 ms, and sizes above zero")
        }
        name = KeyValueBucket.stream(of: configuration.name)
        subjects = ["$KV.\(configuration.name.text).>"]
        max_msgs_per_subject = configuration.history
        max_bytes = configuration.maximumBytes ?? -1
        max_age = configuration.maximumAge.map { TimeDelta($0).nanoseconds } ?? 0
        max_msg_size = configuration.maximumValueSize ?? -1
        storage = configuration.storage.rawValue
        num_replicas = configuration.replicas
        duplicate_window = max_age == 0 ? Self.usualWindow : min(max_age, Self.usualWindow)
        allow_direct = configuration.allowsDirectReads
    }
}
