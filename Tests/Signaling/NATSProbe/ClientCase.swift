import NATS
import NATSConformance

/// One promise of the client, tried on a server.
struct ClientCase: Sendable {
    let name: String
    let run: @Sendable (Arguments) async throws -> Void

    static let all = messages + limits + buckets

    private static func connected(
        _ arguments: Arguments, _ change: (inout NATSClient.Configuration) -> Void = { _ in }
    ) async throws -> NATSClient {
        var configuration = arguments.configuration
        change(&configuration)
        let client = try NATSClient(configuration)
        try await client.connect()
        return client
    }

    private static func require(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
        if !condition { throw Arguments.Wrong(description: "line \(line): \(what())") }
    }

    private static func code(_ body: () async throws(NATSError) -> some Any) async -> NATSError.Code? {
        do {
            _ = try await body()
            return nil
        } catch { return error.code }
    }

    // MARK: Messages

    private static let messages = [
        ClientCase(name: "a request is answered, with headers both ways") { arguments in
            let (server, client) = (try await connected(arguments), try await connected(arguments))
            let service = try await server.subscribe(NATSSubjectFilter("service.*"))
            try await server.flush()
            let answering = Task {
                for try await delivery in service {
                    guard let message = delivery.message, let reply = message.reply else { continue }
                    try await server.publish(reply, message.payload.reversed(), headers: message.headers)
                }
            }
            defer { answering.cancel() }
            var headers = NATSHeaders()
            try headers.append("A", "one: two")
            try headers.append("A", "")
            for number in 0..<20 {
                let answer = try await client.request(NATSSubject("service.x"), [1, UInt8(number)], headers: headers)
                try require(answer.payload == [UInt8(number), 1] && answer.headers == headers, "\(answer)")
            }
            let subject = try NATSSubject("service.many")
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        try await client.request(subject, [UInt8(number & 255)]).payload == [UInt8(number & 255)]
                            ? 1 : 0
                    }
                }
                return try await group.reduce(0, +)
            }
            try require(count == 1_000, "\(count) of 1,000 requests at once")
        },
        ClientCase(name: "a request to nobody fails at once, and one that nobody answers in its time") { arguments in
            let client = try await connected(arguments)
            let nobody = await code { () throws(NATSError) in
                try await client.request(NATSSubject("nobody"), [], timeout: .seconds(60))
            }
            try require(nobody == .noResponders, "\(String(describing: nobody))")
            let silent = try await client.subscribe(NATSSubjectFilter("silent"))
            let late = await code { () throws(NATSError) in
                try await client.request(NATSSubject("silent"), [], timeout: .milliseconds(100))
            }
            try require(late == .timeout, "\(String(describing: late))")
            let subject = try NATSSubject("silent")
            let task = Task { await code { () throws(NATSError) in try await client.request(subject, []) } }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            let cancelled = await task.value
            try require(cancelled == .cancelled, "\(String(describing: cancelled))")
            silent.cancel()
        },
        ClientCase(name: "one member of a queue group receives each message") { arguments in
            let publisher = try await connected(arguments)
            let members = [try await connected(arguments), try await connected(arguments)]
            var subscriptions: [NATSSubscription] = []
            for member in members {
                subscriptions.append(
                    try await member.subscribe(NATSSubjectFilter("work"), queue: NATSSubject("workers")))
                try await member.flush()
            }
            for number in 0..<200 { try await publisher.publish(NATSSubject("work"), [UInt8(number)]) }
            try await publisher.flush()
            try await Task.sleep(for: .milliseconds(200))
            for member in members { try await member.drain() }
            var seen: [[UInt8]] = []
            for subscription in subscriptions {
                for try await delivery in subscription { seen.append(delivery.message?.payload ?? []) }
            }
            try require(seen.count == 200 && Set(seen).count == 200, "\(seen.count) messages")
        },
        ClientCase(name: "draining loses nothing that is under way") { arguments in
            let (publisher, subscriber) = (try await connected(arguments), try await connected(arguments))
            let subscription = try await subscriber.subscribe(NATSSubjectFilter("drained"))
            try await subscriber.flush()
            for number in 0..<1_000 { try await publisher.publish(NATSSubject("drained"), Array("\(number)".utf8)) }
            try await publisher.drain()
            try await subscriber.drain()
            var count = 0
            for try await _ in subscription { count += 1 }
            try require(count == 1_000, "\(count) of 1,000")
            let closed = await code { () throws(NATSError) in try await publisher.publish(NATSSubject("x"), []) }
            try require(closed == .closed, "\(String(describing: closed))")
        },
        ClientCase(name: "a client does not receive what it publishes if it does not want to") { arguments in
            let client = try await connected(arguments) { $0.receivesOwn = false }
            let subscription = try await client.subscribe(NATSSubjectFilter("own"))
            try await client.publish(NATSSubject("own"), [])
            try await client.flush()
            try await client.drain()
            for try await delivery in subscription { try require(false, "\(delivery)") }
        },
    ]

    // MARK: Limits

    private static let limits = [
        ClientCase(name: "a slow reader is told how many messages are missing") { arguments in
            let (publisher, subscriber) = (try await connected(arguments), try await connected(arguments))
            let subscription = try await subscriber.subscribe(
                NATSSubjectFilter("flood"), buffer: NATSClient.BufferLimits(messages: 50, bytes: 1_000_000))
            try await subscriber.flush()
            for number in 0..<5_000 { try await publisher.publish(NATSSubject("flood"), Array("\(number)".utf8)) }
            try await publisher.flush()
            try await Task.sleep(for: .milliseconds(300))
            try await subscriber.drain()
            var (received, lost) = (0, 0)
            for try await delivery in subscription {
                switch delivery {
                case .message(let message):
                    try require(message.payload == Array("\(received)".utf8), "not in order")
                    received += 1
                case .lost(.overflow(let messages)): lost += messages
                case .lost(let other): try require(false, "\(other)")
                }
            }
            try require(received == 50 && lost == 4_950, "\(received) received, \(lost) lost")
        },
        ClientCase(name: "the largest message passes, a larger one is refused and the connection stays") { arguments in
            let client = try await connected(arguments) { $0.maximumPayload = 1 << 27 }
            guard let limit = await client.server?.maximumPayload else {
                throw Arguments.Wrong(description: "no server")
            }
            let subscription = try await client.subscribe(NATSSubjectFilter("large"))
            let payload = (0..<limit).map { UInt8(truncatingIfNeeded: $0) }
            try await client.publish(NATSSubject("large"), payload)
            let refused = await code { () throws(NATSError) in
                try await client.publish(NATSSubject("large"), payload + [0])
            }
            try require(refused == .payloadTooLarge, "\(String(describing: refused))")
            var iterator = subscription.makeAsyncIterator()
            let delivery = try await iterator.next()
            try require(delivery?.message?.payload == payload, "the largest message has changed")
            let narrow = try await connected(arguments) { $0.maximumPayload = 100 }
            let small = try await narrow.subscribe(NATSSubjectFilter("large"))
            try await narrow.flush()
            try await client.publish(NATSSubject("large"), payload)
            try await client.publish(NATSSubject("large"), [1])
            var deliveries = small.makeAsyncIterator()
            let both = [try await deliveries.next(), try await deliveries.next()]
            try require(both.first == .lost(.tooLarge(size: limit)) && both.last??.message?.payload == [1], "\(both)")
        },
    ]

    // MARK: Buckets

    private static let buckets = [
        ClientCase(name: "keys, purges, direct reads and the size of a bucket") { arguments in
            var own = arguments
            own.bucket = "client"
            let (_, bucket) = try await own.open()
            for number in 0..<20 { try await bucket.put(KeyValueKey("k.\(number)"), [UInt8(number)]) }
            try await bucket.delete(KeyValueKey("k.3"))
            try await bucket.purge(KeyValueKey("k.4"))
            try await bucket.put(KeyValueKey("k.0"), [99])
            let keys = try await bucket.keys(KeyValueFilter("k.*")).map(\.text)
            try require(keys.count == 18 && keys.last == "k.0" && !keys.contains("k.3"), "\(keys)")
            for source in [KeyValueBucket.Source.leader, .anyReplica] {
                let entry = try await bucket.get(KeyValueKey("k.0"), from: source)
                let none = [
                    try await bucket.get(KeyValueKey("k.3"), from: source),
                    try await bucket.get(KeyValueKey("absent"), from: source),
                ]
                try require(entry?.value == [99] && none == [nil, nil], "\(source): \(String(describing: entry))")
            }
            let few = await code { () throws(NATSError) in try await bucket.keys(limit: 3) }
            try require(few == .tooManyKeys, "\(String(describing: few))")
            let status = try await bucket.status()
            try require(status.entries == 20 && status.lastRevision == 23, "\(status)")
        },
        ClientCase(name: "a bucket is created once with one configuration, and found again") { arguments in
            let client = try await connected(arguments)
            var wanted = KeyValueConfiguration(name: try KeyValueBucketName("twice"))
            wanted.maximumAge = .seconds(60)
            for _ in 0..<2 { _ = try await KeyValueBucket.create(wanted, on: client) }
            wanted.history = 7
            let other = await code { () throws(NATSError) in try await KeyValueBucket.create(wanted, on: client) }
            guard case .jetStream(let error)? = other, error.errorCode == 10_058 else {
                throw Arguments.Wrong(description: "\(String(describing: other))")
            }
            let bucket = try await KeyValueBucket.open(wanted.name, on: client)
            try await bucket.destroy()
            let gone = await code { () throws(NATSError) in try await KeyValueBucket.open(wanted.name, on: client) }
            try require(gone == .bucketNotFound, "\(String(describing: gone))")
        },
        ClientCase(name: "entries expire, and the key can be created again") { arguments in
            let client = try await connected(arguments)
            var wanted = KeyValueConfiguration(name: try KeyValueBucketName("short"))
            wanted.maximumAge = .milliseconds(500)
            let bucket = try await KeyValueBucket.create(wanted, on: client)
            let key = try KeyValueKey("k")
            try await bucket.create(key, [1])
            let early = await code { () throws(NATSError) in try await bucket.create(key, [2]) }
            try require(early == .keyExists, "\(String(describing: early))")
            for _ in 0..<100 {
                if try await bucket.get(key) == nil { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            try await bucket.create(key, [3])
        },
        ClientCase(name: "a watch of a bucket that is deleted and created again ends with an error") { arguments in
            var own = arguments
            own.bucket = "reset"
            let (_, bucket) = try await own.open()
            try await bucket.put(KeyValueKey("k"), [1])
            let watch = try await bucket.watch(.all, includesExisting: true, heartbeat: .milliseconds(200))
            var iterator = watch.makeAsyncIterator()
            let first = [try await iterator.next(), try await iterator.next()]
            try require(first.last == .caughtUp, "\(first)")
            try await bucket.destroy()
            _ = try await own.open()
            var failure: NATSError?
            do throws(NATSError) {
                while try await iterator.next() != nil {}
            } catch { failure = error }
            try require(failure?.code == .bucketReset, "\(String(describing: failure))")
        },
        ClientCase(name: "a slow watch loses nothing") { arguments in
            var own = arguments
            own.bucket = "slow"
            let (_, bucket) = try await own.open()
            let (_, writer) = try await own.open()
            let watch = try await bucket.watch(.all)
            let value = [UInt8](repeating: 7, count: 40_000)
            for number in 0..<1_500 { try await writer.put(KeyValueKey("k.\(number)"), value) }
            var (seen, last): (Int, UInt64) = (0, 0)
            for try await change in watch {
                guard case .entry(let entry) = change else { continue }
                try require(entry.revision > last && entry.value == value, "not in order")
                last = entry.revision
                seen += 1
                if seen == 1_500 { break }
            }
        },
    ]
}
