internal import NIOCore
internal import RTCNetwork
internal import RTCWire

/// A watch of a bucket's keys, by an ordered consumer. It works while it is read: a reader that is slow stops the server's deliveries
/// by flow control, and loses nothing.
actor OrderedWatch: KeyValueWatchSource {
    struct Options {
        var includesExisting = true
        var hasValues = true
        var heartbeat = Duration.seconds(2)
    }

    private let bucket: KeyValueBucket
    private let filter: KeyValueFilter
    private let options: Options
    private var rules: OrderedConsumerRules
    /// Of the stream, when the watch began: another one with the same name has another.
    private let created: String?
    private var consumer: (name: String, subscription: NATSSubscription)?
    private var changes = RingBuffer<KeyValueChange>()
    private var failures = 0

    static func begin(
        _ bucket: KeyValueBucket, _ filter: KeyValueFilter, _ options: Options
    ) async throws(NATSError) -> OrderedWatch {
        guard .milliseconds(100)...(.seconds(60)) ~= options.heartbeat else {
            throw NATSError(.invalidArgument, "a heartbeat is between 100 ms and a minute")
        }
        let info = try await bucket.info()
        let watch = OrderedWatch(bucket, filter, options, info)
        try await watch.createConsumer()
        return watch
    }

    private init(_ bucket: KeyValueBucket, _ filter: KeyValueFilter, _ options: Options, _ info: StreamInfo) {
        self.bucket = bucket
        self.filter = filter
        self.options = options
        created = info.created
        rules = OrderedConsumerRules(
            start: options.includesExisting ? .lastPerSubject : .sequence(info.state.last_seq &+ 1),
            heartbeat: TimeDelta(options.heartbeat))
        if !options.includesExisting { changes.append(.caughtUp) }
    }

    private var now: Instant { NIODeadline.now().instant }

    func next() async throws(NATSError) -> KeyValueChange? {
        while true {
            if let change = changes.popFirst() { return change }
            if Task.isCancelled { return nil }
            guard let consumer else {
                try await recreate()
                continue
            }
            switch await consumer.subscription.handle.buffer.next(within: options.heartbeat) {
            case .delivery(.message(let message)): try await receive(message)
            case .delivery(.lost): await giveUp()
            case .timedOut: if rules.isSilent(at: now) { await giveUp() }
            case .end(let error?): throw error
            case .end(nil): return nil
            }
        }
    }

    // MARK: Messages

    private func receive(_ message: NATSMessage) async throws(NATSError) {
        if message.status?.code == NATSStatus.controlMessage { return try await receiveControl(message) }
        // The subscription has a subject of its own: who else knows it may write to it, but only JetStream's messages count.
        guard let metadata = DeliveryMetadata(reply: message.reply), let key = bucket.key(of: message.subject),
            filter.matches(key)
        else { return }
        let verdict = rules.received(metadata, at: now)
        guard case .deliver(let isLast) = verdict else { return await giveUp() }
        changes.append(
            .entry(bucket.entry(key, message.payload, metadata.streamSequence, message.headers)))
        if isLast { changes.append(.caughtUp) }
    }

    private func receiveControl(_ message: NATSMessage) async throws(NATSError) {
        if let reply = message.reply {
            // Everything before it has been read: the server may send more.
            rules.heardFlowControl(at: now)
            return await answer(reply)
        }
        let stalled = message.headers["Nats-Consumer-Stalled"].flatMap { try? NATSSubject($0) }
        let last = message.headers["Nats-Last-Consumer"].flatMap { Decimal.parse($0.utf8) }
        switch rules.receivedHeartbeat(last: last, isStalled: stalled != nil, at: now) {
        case .caughtUp: changes.append(.caughtUp)
        case .recreate: await giveUp()
        case .deliver, .ignore: if let stalled { await answer(stalled) }
        }
    }

    private func answer(_ subject: NATSSubject) async {
        // Only to JetStream, whoever has sent this.
        guard subject.text.hasPrefix("$JS.FC.") else { return }
        try? await bucket.client.publish(subject, [])
    }

    // MARK: Consumers

    /// Leaves the consumer to the server, which deletes it.
    private func giveUp() async {
        guard let consumer else { return }
        self.consumer = nil
        consumer.subscription.cancel()
        let subject = try? NATSSubject("\(JetStreamAPI.prefix).CONSUMER.DELETE.\(bucket.stream).\(consumer.name)")
        if let subject, await bucket.client.isConnected { try? await bucket.client.publish(subject, []) }
    }

    /// Waits until there is a consumer again, or the bucket is gone.
    private func recreate() async throws(NATSError) {
        do throws(NATSError) {
            let info = try await bucket.info()
            guard info.created == created, info.state.last_seq >= rules.lastStream else {
                throw NATSError(.bucketReset, "the bucket is another one than the watch began with")
            }
            try await createConsumer()
            failures = 0
        } catch {
            switch error.code {
            case .bucketNotFound, .bucketReset, .closed, .draining, .permissionDenied, .invalidArgument: throw error
            default: break
            }
            failures += 1
            // Servers that elect a leader have no answer for a while.
            let whole = min(2_000, 50 << min(failures, 6))
            try? await Task.sleep(for: .milliseconds(whole / 2 + Int.random(in: 0...(whole / 2))))
        }
    }

    private func createConsumer() async throws(NATSError) {
        let client = bucket.client
        let inbox = await client.newInbox()
        // The subject is new each time: what an earlier consumer still sends reaches nobody.
        let subscription = try await client.subscribe(NATSSubjectFilter(inbox))
        let request = ConsumerRequest(
            stream_name: bucket.stream,
            config: ConsumerConfiguration(
                start: rules.nextStart, filter: "$KV.\(bucket.name.text).\(filter.text)", deliverTo: inbox.text,
                heartbeat: options.heartbeat, headersOnly: !options.hasValues))
        let info: ConsumerInfo
        do throws(NATSError) {
            info = try await bucket.api.call("CONSUMER.CREATE.\(bucket.stream)", request, ConsumerInfo.self)
        } catch {
            subscription.cancel()
            throw error
        }
        consumer = (info.name, subscription)
        let verdict = rules.created(
            pending: info.num_pending ?? 0, delivered: info.delivered?.consumer_seq ?? 0, at: now)
        if verdict == .caughtUp { changes.append(.caughtUp) }
    }
}

private struct ConsumerRequest: Encodable {
    var stream_name: String
    var config: ConsumerConfiguration
}

private struct ConsumerConfiguration: Encodable {
    var deliver_policy: String
    var opt_start_seq: UInt64?
    var deliver_subject: String
    var filter_subject: String
    var ack_policy = "none"
    var ack_wait: Int64 = 79_200_000_000_000
    var max_deliver = 1
    var replay_policy = "instant"
    var flow_control = true
    var idle_heartbeat: Int64
    var headers_only: Bool?
    /// The server deletes the consumer when nobody has listened to it for so long.
    var inactive_threshold: Int64 = 5_000_000_000
    var mem_storage = true
    var num_replicas = 1

    init(
        start: OrderedConsumerRules.Start, filter: String, deliverTo subject: String, heartbeat: Duration,
        headersOnly: Bool
    ) {
        switch start {
        case .lastPerSubject: deliver_policy = "last_per_subject"
        case .sequence(let sequence):
            deliver_policy = "by_start_sequence"
            opt_start_seq = sequence
        }
        deliver_subject = subject
        filter_subject = filter
        idle_heartbeat = TimeDelta(heartbeat).nanoseconds
        if headersOnly { headers_only = true }
    }
}
