internal import RTCWire

/// A bucket of keys and values on NATS (ADR-8): a stream of JetStream that keeps the last entries of each subject.
package struct KeyValueBucket: KeyValueStore {
    /// Which server answers a read.
    package enum Source: Hashable, Sendable {
        /// The leader, which has every write that was acknowledged.
        case leader
        /// Any server that has the bucket. It may be behind, even behind an earlier read; it is faster, and answers while there is no
        /// leader.
        case anyReplica
    }

    package let name: KeyValueBucketName
    let client: NATSClient
    let api: JetStreamAPI
    let stream: String
    private let isDirect: Bool

    private init(_ name: KeyValueBucketName, _ client: NATSClient, _ timeout: Duration, _ info: StreamInfo) {
        self.name = name
        self.client = client
        api = JetStreamAPI(client: client, timeout: timeout)
        stream = Self.stream(of: name)
        isDirect = info.config.allow_direct ?? false
    }

    static func stream(of name: KeyValueBucketName) -> String { "KV_\(name.text)" }

    // MARK: Buckets

    /// Creates a bucket. Does nothing if there is one with the same configuration, so that every node of a server can do it.
    ///
    /// - Parameter timeout: For each request to the bucket.
    /// - Throws: ``NATSError`` `jetStream` with the error 10058 if there is one with another configuration, `invalidArgument`;
    ///   `unsuitableServer` if the bucket has replicas and the server is older than 2.11.
    package static func create(
        _ configuration: KeyValueConfiguration, on client: NATSClient, timeout: Duration = .seconds(5)
    ) async throws(NATSError) -> KeyValueBucket {
        let request = try StreamConfiguration(configuration)
        try await check(client, replicas: configuration.replicas)
        let info = try await JetStreamAPI(client: client, timeout: timeout)
            .call("STREAM.CREATE.\(request.name)", request, StreamInfo.self)
        return KeyValueBucket(configuration.name, client, timeout, info)
    }

    /// - Throws: ``NATSError`` `bucketNotFound`, `unsuitableServer`.
    package static func open(
        _ name: KeyValueBucketName, on client: NATSClient, timeout: Duration = .seconds(5)
    ) async throws(NATSError) -> KeyValueBucket {
        let info = try await JetStreamAPI(client: client, timeout: timeout)
            .call("STREAM.INFO.\(stream(of: name))", JetStreamAPI.Empty(), StreamInfo.self)
        try await check(client, replicas: info.config.num_replicas ?? 1)
        return KeyValueBucket(name, client, timeout, info)
    }

    private static func check(_ client: NATSClient, replicas: Int) async throws(NATSError) {
        guard replicas > 1, let server = await client.server, !server.hasReplicatedCompareAndSet else { return }
        throw NATSError(
            .unsuitableServer,
            "a bucket on several servers needs NATS 2.11 or newer: in \(server.version) two writers can succeed at once"
        )
    }

    /// Deletes the bucket with all that it has.
    package func destroy() async throws(NATSError) {
        struct Answer: Decodable {
            var success: Bool
        }
        _ = try await api.call("STREAM.DELETE.\(stream)", JetStreamAPI.Empty(), Answer.self)
    }

    func info() async throws(NATSError) -> StreamInfo {
        try await api.call("STREAM.INFO.\(stream)", JetStreamAPI.Empty(), StreamInfo.self)
    }

    /// Returns how large the bucket is, and which server leads it.
    package func status() async throws(NATSError) -> KeyValueStatus {
        let info = try await info()
        return KeyValueStatus(
            entries: info.state.messages, bytes: info.state.bytes, lastRevision: info.state.last_seq,
            replicas: info.config.num_replicas ?? 1, leader: info.cluster?.leader, created: info.created)
    }

    func subject(of key: KeyValueKey) -> NATSSubject {
        NATSSubject(unchecked: "$KV.\(name.text).\(key.text)")
    }

    func key(of subject: NATSSubject) -> KeyValueKey? {
        let prefix = "$KV.\(name.text)."
        guard subject.text.hasPrefix(prefix) else { return nil }
        return KeyValueKey(received: subject.text.dropFirst(prefix.count))
    }

    // MARK: Reading

    package func get(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry? {
        try await get(key, from: .leader)
    }

    /// Reads the last entry of a key.
    ///
    /// - Returns: `nil` if there is none, or it was deleted.
    package func get(_ key: KeyValueKey, from source: Source) async throws(NATSError) -> KeyValueEntry? {
        let entry = try await last(key, from: source)
        return entry?.operation == .put ? entry : nil
    }

    /// The last entry, which may be the mark of a deletion.
    private func last(_ key: KeyValueKey, from source: Source) async throws(NATSError) -> KeyValueEntry? {
        if source == .anyReplica, isDirect { try await lastDirect(key) } else { try await lastOfLeader(key) }
    }

    private func lastOfLeader(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry? {
        struct Request: Encodable {
            var last_by_subj: String
        }
        let wanted = subject(of: key)
        let answer: StoredMessageAnswer
        do throws(NATSError) {
            answer = try await api.call(
                "STREAM.MSG.GET.\(stream)", Request(last_by_subj: wanted.text), StoredMessageAnswer.self)
        } catch {
            if case .jetStream(let error) = error.code, error.errorCode == JetStreamError.messageNotFound { return nil }
            throw error
        }
        let message = answer.message
        guard message.subject == wanted.text, let value = Base64.decode(message.data ?? ""),
            let block = Base64.decode(message.hdrs ?? ""),
            let headers = block.isEmpty ? NATSHeaders() : NATSHeaders.parse(block[...])?.headers
        else { throw NATSError(.malformedAnswer, "an entry cannot be read") }
        return entry(key, value, message.seq, headers)
    }

    private func lastDirect(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry? {
        let wanted = subject(of: key)
        let subject = try NATSSubject("\(JetStreamAPI.prefix).DIRECT.GET.\(stream).\(wanted.text)")
        let message = try await client.request(subject, [], timeout: api.timeout)
        if message.status?.code == NATSStatus.notFound { return nil }
        guard message.status == nil, message.headers["Nats-Subject"] == wanted.text,
            let sequence = message.headers["Nats-Sequence"].flatMap({ Decimal.parse($0.utf8) })
        else { throw NATSError(.malformedAnswer, "an entry cannot be read") }
        return entry(key, message.payload, sequence, message.headers)
    }

    func entry(_ key: KeyValueKey, _ value: [UInt8], _ revision: UInt64, _ headers: NATSHeaders) -> KeyValueEntry {
        // From version 2.11 on a server may write marks of its own, for entries that have expired.
        let operation: KeyValueEntry.Operation =
            switch (headers["KV-Operation"], headers["Nats-Marker-Reason"]) {
            case ("PURGE"?, _), (_, "Purge"?): .purge
            case (nil, nil): .put
            default: .delete
            }
        return KeyValueEntry(key: key, value: operation == .put ? value : [], revision: revision, operation: operation)
    }

    // MARK: Writing

    /// Writes a value, whatever the key's last revision is.
    ///
    /// - Returns: The revision of the entry.
    @discardableResult
    package func put(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64 {
        try await write(key, value, [])
    }

    @discardableResult
    package func create(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64 {
        var revision: UInt64 = 0
        // A key that is deleted and created by others meanwhile is tried again.
        for _ in 0..<4 {
            do throws(NATSError) {
                return try await update(key, value, revision: revision)
            } catch {
                guard error.code == .wrongLastSequence else { throw error }
                let last = try await last(key, from: .leader)
                if last?.operation == .put { break }
                revision = last?.revision ?? 0
            }
        }
        throw NATSError(.keyExists, "the key exists")
    }

    @discardableResult
    package func update(_ key: KeyValueKey, _ value: [UInt8], revision: UInt64) async throws(NATSError) -> UInt64 {
        try await write(key, value, [Self.expected(revision)])
    }

    package func delete(_ key: KeyValueKey, revision: UInt64? = nil) async throws(NATSError) {
        let expected = revision.map { [Self.expected($0)] } ?? []
        _ = try await write(key, [], [("KV-Operation", "DEL")] + expected)
    }

    /// Deletes a key and its history.
    package func purge(_ key: KeyValueKey, revision: UInt64? = nil) async throws(NATSError) {
        let expected = revision.map { [Self.expected($0)] } ?? []
        _ = try await write(key, [], [("KV-Operation", "PURGE"), ("Nats-Rollup", "sub")] + expected)
    }

    /// Removes entries as if they had never been. Watches are not told, and a key that is written again begins anew.
    ///
    /// - Parameters:
    ///   - filter: Whose entries.
    ///   - revision: Entries from this one on stay; `nil` removes all.
    package func erase(_ filter: KeyValueFilter = .all, before revision: UInt64? = nil) async throws(NATSError) {
        struct Request: Encodable {
            var filter: String?
            var seq: UInt64?
        }
        struct Answer: Decodable {
            var success: Bool
        }
        let subjects = filter == .all ? nil : "$KV.\(name.text).\(filter.text)"
        let answer = try await api.call(
            "STREAM.PURGE.\(stream)", Request(filter: subjects, seq: revision), Answer.self)
        guard answer.success else { throw NATSError(.malformedAnswer, "the bucket was not purged") }
    }

    private static func expected(_ revision: UInt64) -> (String, String) {
        ("Nats-Expected-Last-Subject-Sequence", "\(revision)")
    }

    private func write(
        _ key: KeyValueKey, _ value: [UInt8], _ headers: [(String, String)]
    ) async throws(NATSError) -> UInt64 {
        let message = try await client.request(
            subject(of: key), value, headers: NATSHeaders(unchecked: headers), timeout: api.timeout)
        let answer = try JetStreamAPI.decode(PublishAcknowledgement.self, from: message.payload)
        guard answer.stream == stream, answer.seq > 0 else {
            throw NATSError(.malformedAnswer, "another stream has stored the entry")
        }
        return answer.seq
    }

    // MARK: Messages

    package func publish(_ subject: NATSSubject, _ payload: [UInt8]) async throws(NATSError) {
        try await client.publish(subject, payload)
    }

    package func subscribe(_ filter: NATSSubjectFilter) async throws(NATSError) -> NATSSubscription {
        let subscription = try await client.subscribe(filter)
        try await client.flush(timeout: api.timeout)
        return subscription
    }
}

/// How large a bucket is.
package struct KeyValueStatus: Hashable, Sendable {
    /// With marks of deletions and history.
    package var entries: UInt64
    package var bytes: UInt64
    package var lastRevision: UInt64
    package var replicas: Int
    /// The name of the server that leads the bucket; `nil` during an election, or without a cluster.
    package var leader: String?
    /// When the bucket was created, as the server writes it: a bucket that was deleted and created again has another.
    package var created: String?
}
