import RTCWire

/// A queue of what happens, in virtual time.
final class VirtualTime {
    private struct Moment: Comparable {
        var time: Duration
        var number: UInt64

        static func < (one: Moment, other: Moment) -> Bool { (one.time, one.number) < (other.time, other.number) }
    }

    private var queue = DeadlineQueue<Moment, () -> Void>()
    private var lastNumber: UInt64 = 0
    private(set) var now: Duration = .seconds(1_000)
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    func after(_ delay: Duration, _ action: @escaping () -> Void) {
        at(now + delay, action)
    }

    func at(_ time: Duration, _ action: @escaping () -> Void) {
        lastNumber += 1
        queue.insert(action, at: Moment(time: max(time, now), number: lastNumber))
    }

    func run(for duration: Duration) {
        let end = now + duration
        while let next = queue.next, next.time <= end, let action = queue.popDue(at: next) {
            now = next.time
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
