import RTCWire

/// A queue of what happens, in virtual time.
final class VirtualTime {
    private var queue = PriorityQueue<Duration, () -> Void>()
    private(set) var now: Duration = .seconds(1_000)
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    func after(_ delay: Duration, _ action: @escaping () -> Void) {
        at(now + delay, action)
    }

    func at(_ time: Duration, _ action: @escaping () -> Void) {
        queue.insert(action, at: max(time, now))
    }

    func run(for duration: Duration) {
        let end = now + duration
        while let next = queue.next, let action = queue.popFirst(through: end) {
            now = next
            action()
        }
        now = end
    }

    // MARK: Chance

    func next() -> UInt64 { random.next() }

    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    func chance(_ percent: Int) -> Bool { below(100) < percent }

    func between(_ low: Int, _ high: Int) -> Duration { .milliseconds(low + below(high - low + 1)) }
}
