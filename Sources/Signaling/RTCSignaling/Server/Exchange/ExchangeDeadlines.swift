internal import RTCWire

/// The deadlines of an exchange. Those of one moment are reached in the order in which they were set.
struct ExchangeDeadlines {
    typealias Subject = MemoryExchange.Deadline

    private struct Moment: Comparable {
        var time: Duration
        var number: UInt64

        static func < (one: Moment, other: Moment) -> Bool {
            one.time == other.time ? one.number < other.number : one.time < other.time
        }
    }

    private var queue = DeadlineQueue<Moment, Subject>()
    private var lastNumber: UInt64 = 0

    var next: Duration? { queue.next?.time }

    /// All deadlines in the order in which they will be reached.
    var all: [(time: Duration, subject: Subject)] {
        queue.contents.sorted { $0.deadline < $1.deadline }.map { ($0.deadline.time, $0.subject) }
    }

    mutating func insert(_ subject: Subject, at time: Duration) {
        lastNumber += 1
        queue.insert(subject, at: Moment(time: time, number: lastNumber))
    }

    /// The earliest subject whose time has come.
    mutating func popDue(at now: Duration) -> Subject? {
        queue.popDue(at: Moment(time: now, number: .max))
    }
}
