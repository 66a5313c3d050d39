import NATS
import NATSConformance
import RTCWire
import Testing

/// Nodes that count together in virtual time, with everything that may go wrong: what the semantics of ``KeyValueStore`` promise
/// must be enough to lose and double nothing.
@Suite("The model of NATS in virtual time")
struct KeyValueModelTests {
    /// A node that adds one to its own number in a value that all share, again and again, and survives every fault.
    private struct Counter {
        enum Step {
            case read(Int)
            case write(Int, last: UInt64)
        }

        let node: Int
        var counted = 0
        var step: Step?
        var retryAt: Instant?
    }

    private static let key = (try? KeyValueKey("numbers"))

    private static func numbers(_ entry: KeyValueEntry?, _ count: Int) -> [UInt8] {
        entry?.value ?? [UInt8](repeating: 0, count: count)
    }

    @Test(
        "Nodes count together: nothing is lost, nothing doubled, and a watch sees each number once", arguments: 0..<50)
    func counting(seed: UInt64) throws {
        let key = try #require(Self.key)
        var random = SplitMix(seed)
        var model = KeyValueModel(seed: seed)
        model.faults.delay = .milliseconds(1)...(.milliseconds(300))
        model.faults.lostRequests = 0.1
        model.faults.lostReplies = 0.1
        model.faults.timeout = .milliseconds(500)
        var counters = (0..<3).map { _ in Counter(node: model.addNode()) }
        let watcher = model.addNode()
        let watch = model.watch(.all, from: watcher)
        var watched: [KeyValueEntry] = []
        let goal = 20
        var faultTime = Instant.zero
        var cut: [Int: Instant] = [:]

        while counters.contains(where: { $0.counted < goal }) {
            try #require(model.now < .zero + .seconds(3_600), "it stands still")
            for index in counters.indices where counters[index].step == nil && counters[index].counted < goal {
                if let retry = counters[index].retryAt, retry > model.now { continue }
                counters[index].retryAt = nil
                counters[index].step = .read(model.submit(.get(key), from: counters[index].node))
            }
            if model.now >= faultTime {
                faultTime = model.now + .milliseconds(Int64.random(in: 100...2_000, using: &random))
                let node = Int.random(in: 0..<4, using: &random)
                if cut[node] == nil {
                    cut[node] = model.now + .milliseconds(Int64.random(in: 1...1_500, using: &random))
                    model.cutOff(node)
                }
            }
            for (node, until) in cut.sorted(by: { $0.key < $1.key }) where until <= model.now {
                cut[node] = nil
                model.connect(node)
            }
            let times = [model.nextDeadline, faultTime] + cut.values.map { $0 } + counters.map(\.retryAt)
            model.advance(to: times.compactMap { $0 }.min() ?? model.now)
            for delivery in model.takeDeliveries() {
                if case .change(watch, .entry(let entry)) = delivery { watched.append(entry) }
            }
            for completion in model.takeCompletions() {
                for index in counters.indices {
                    switch counters[index].step {
                    case .read(completion.operation)?:
                        counters[index].step = nil
                        guard case .success(.entry(let entry)) = completion.result else {
                            counters[index].retryAt = model.now + .milliseconds(50)
                            break
                        }
                        var numbers = Self.numbers(entry, 3)
                        // A write whose answer was lost may have happened.
                        counters[index].counted = Int(numbers[index])
                        guard counters[index].counted < goal else { break }
                        numbers[index] += 1
                        let write = model.submit(
                            .update(key, numbers, revision: entry?.revision ?? 0), from: counters[index].node)
                        counters[index].step = .write(write, last: entry?.revision ?? 0)
                    case .write(completion.operation, _)?: counters[index].step = nil
                    default: break
                    }
                }
            }
        }
        model.connect(watcher)
        while let next = model.nextDeadline { model.advance(to: next) }
        for delivery in model.takeDeliveries() {
            if case .change(watch, .entry(let entry)) = delivery { watched.append(entry) }
        }
        #expect(watched.last?.value == [UInt8](repeating: UInt8(goal), count: 3))
        let revisions = watched.map(\.revision)
        #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
        for (earlier, later) in zip(watched, watched.dropFirst()) {
            let isForward = zip(earlier.value, later.value).allSatisfy { $0 <= $1 }
            #expect(isForward, "a number went back")
        }
    }

    @Test("The same seed gives the same run")
    func repeatable() throws {
        let key = try #require(Self.key)
        func run() -> [String] {
            var model = KeyValueModel(seed: 9)
            model.faults.delay = .zero...(.seconds(1))
            model.faults.lostReplies = 0.5
            let node = model.addNode()
            for number in 0..<50 {
                _ = model.submit(.update(key, [UInt8(number)], revision: UInt64(number)), from: node)
            }
            model.advance(to: .zero + .seconds(100))
            return model.takeCompletions().map { "\($0)" }
        }
        #expect(run() == run())
    }

    @Test("Entries expire without a word, and may be created again")
    func age() throws {
        let key = try #require(Self.key)
        var model = KeyValueModel(seed: 1)
        model.maximumAge = .seconds(10)
        let node = model.addNode()
        _ = model.submit(.create(key, [1]), from: node)
        model.advance(to: .zero + .seconds(9))
        _ = model.submit(.create(key, [2]), from: node)
        model.advance(to: .zero + .seconds(10))
        _ = model.submit(.update(key, [3], revision: 0), from: node)
        model.advance(to: .zero + .seconds(11))
        let results = model.takeCompletions().map(\.result)
        #expect(results.count == 3)
        #expect((try? results[0].get()) == .revision(1))
        #expect(results[1].failure?.code == .keyExists)
        #expect((try? results[2].get()) == .revision(2))
    }
}
