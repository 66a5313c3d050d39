internal import NATS

// MARK: Several clients

extension ConformanceCase {
    static let races = [
        ConformanceCase(name: "of clients that create one key, one succeeds") { client in
            for round in 0..<10 {
                var stores: [any KeyValueStore] = []
                for _ in 0..<4 { stores.append(try await client()) }
                let wins = try await withThrowingTaskGroup(of: Int.self) { group in
                    for (number, store) in stores.enumerated() {
                        group.addTask {
                            do {
                                _ = try await store.create(key("race.\(round)"), [UInt8(number)])
                                return 1
                            } catch let error as NATSError where error.code == .keyExists {
                                return 0
                            }
                        }
                    }
                    return try await group.reduce(0, +)
                }
                try require(wins == 1, "\(wins) clients have created it")
            }
        },
        ConformanceCase(name: "two clients count together with compare-and-set") { client in
            let first = try await client()
            let second = try await client()
            let rounds = 50
            let revisions = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for store in [first, second] {
                    group.addTask {
                        var revisions: [UInt64] = []
                        for _ in 0..<rounds { revisions.append(try await increment(store)) }
                        return revisions
                    }
                }
                return try await group.reduce([], +)
            }
            try require(Set(revisions).count == 2 * rounds, "two writes have one revision")
            let entry = try await first.get(key("count"))
            let count = String(decoding: entry?.value ?? [], as: UTF8.self)
            try require(count == "\(2 * rounds)", "counted to \(count)")
        },
        ConformanceCase(name: "a client reads what another one was told that it has written") { client in
            let (writer, reader) = (try await client(), try await client())
            var last: UInt64 = 0
            for number in 0..<50 {
                last = try await writer.update(key("k"), [UInt8(number)], revision: last)
                let entry = try await reader.get(key("k"))
                try require(entry?.revision == last, "\(entry?.revision ?? 0) instead of \(last)")
            }
        },
    ]

    private static func increment(_ store: any KeyValueStore) async throws -> UInt64 {
        while true {
            let entry = try await store.get(key("count"))
            let number = entry.flatMap { Int(String(decoding: $0.value, as: UTF8.self)) } ?? 0
            do {
                return try await store.update(
                    key("count"), bytes("\(number + 1)"), revision: entry?.revision ?? 0)
            } catch let error as NATSError where error.code == .wrongLastSequence {
                continue
            }
        }
    }

    static let watches = [
        ConformanceCase(name: "a watch of nothing has caught up at once") { client in
            let store = try await client()
            var reader = Reader(try await store.watch(.all))
            try await reader.expectCaughtUp()
            let revision = try await store.create(key("k"), bytes("1"))
            let entry = try await reader.entry()
            try require(entry.revision == revision, "\(entry)")
        },
        ConformanceCase(name: "a watch tells of what exists, then of changes, in order") { client in
            let (writer, watcher) = (try await client(), try await client())
            var last: UInt64 = 0
            for number in 0..<5 { last = try await writer.update(key("a"), [UInt8(number)], revision: last) }
            let other = try await writer.create(key("b"), bytes("b"))
            _ = try await writer.create(key("gone"), [])
            try await writer.delete(key("gone"), revision: nil)
            var reader = Reader(try await watcher.watch(.all))
            let existing = [try await reader.entry(), try await reader.entry(), try await reader.entry()]
            try require(existing.map(\.key.text) == ["a", "b", "gone"], "\(existing)")
            try require(existing[0].value == [4] && existing[0].revision == last, "\(existing[0])")
            try require(existing[1].revision == other && existing[2].operation == .delete, "\(existing)")
            try await reader.expectCaughtUp()
            for number in 5..<40 { last = try await writer.update(key("a"), [UInt8(number)], revision: last) }
            // Those that were replaced before they were told may be missing, the last one never.
            var told: UInt8 = 4
            while told < 39 {
                let entry = try await reader.entry()
                try require(entry.value.count == 1 && entry.value[0] > told, "\(entry) comes after number \(told)")
                told = entry.value[0]
            }
            try await writer.delete(key("a"), revision: last)
            let end = try await reader.entry()
            try require(end.operation == .delete && end.key.text == "a" && end.value.isEmpty, "\(end)")
        },
        ConformanceCase(name: "a watch has the keys of its filter only") { client in
            let store = try await client()
            let filters = ["calls.*.state", "calls.>", "calls.1.state"]
            for text in ["calls.1.state", "calls.1.peer", "calls.2.state", "users.1.state"] {
                _ = try await store.create(key(text), [])
            }
            let wanted = [
                ["calls.1.state", "calls.2.state"], ["calls.1.state", "calls.1.peer", "calls.2.state"],
                ["calls.1.state"],
            ]
            for (filter, keys) in zip(filters, wanted) {
                var reader = Reader(try await store.watch(KeyValueFilter(filter)))
                var seen: [String] = []
                while case .entry(let entry) = try await reader.next() { seen.append(entry.key.text) }
                try require(seen == keys, "\(filter): \(seen)")
            }
        },
        ConformanceCase(name: "all watches tell of the same writes in the same order") { client in
            let watchers = [try await client(), try await client()]
            var readers: [Reader] = []
            for watcher in watchers { readers.append(Reader(try await watcher.watch(.all))) }
            for index in readers.indices { try await readers[index].expectCaughtUp() }
            let writers = [try await client(), try await client(), try await client()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, writer) in writers.enumerated() {
                    group.addTask {
                        for round in 0..<30 { _ = try await writer.create(key("w\(number).r\(round)"), []) }
                    }
                }
                try await group.waitForAll()
            }
            var seen: [[KeyValueEntry]] = [[], []]
            for index in readers.indices {
                for _ in 0..<90 { seen[index].append(try await readers[index].entry()) }
            }
            try require(seen[0] == seen[1], "two orders")
            let revisions = seen[0].map(\.revision)
            try require(revisions == revisions.sorted() && Set(revisions).count == 90, "not in order: \(revisions)")
        },
    ]

    static let messages = [
        ConformanceCase(name: "a subscription receives the messages of its filter, in order") { client in
            let (publisher, subscriber) = (try await client(), try await client())
            let subscription = try await subscriber.subscribe(NATSSubjectFilter("conformance.*.news"))
            for number in 0..<100 {
                try await publisher.publish(NATSSubject("conformance.a.news"), [UInt8(number)])
                try await publisher.publish(NATSSubject("conformance.a.other"), [255])
                try await publisher.publish(NATSSubject("conformance.a.b.news"), [255])
            }
            var iterator = subscription.makeAsyncIterator()
            for number in 0..<100 {
                let delivery = try await iterator.next()
                try require(delivery?.message?.payload == [UInt8(number)], "\(String(describing: delivery))")
            }
        },
        ConformanceCase(name: "a cancelled subscription ends") { client in
            let store = try await client()
            let subscription = try await store.subscribe(NATSSubjectFilter("conformance.end"))
            subscription.cancel()
            var iterator = subscription.makeAsyncIterator()
            let delivery = try await iterator.next()
            try require(delivery == nil, "\(String(describing: delivery))")
        },
    ]
}
