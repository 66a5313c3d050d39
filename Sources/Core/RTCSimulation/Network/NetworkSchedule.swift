public import RTCWire

/// The conditions of a link in both directions over time: the schedules of Tests/Networks, which links between real
/// processes use too.
///
/// ```
/// title A link that narrows
/// seconds 40
/// at 0  both     delay 25  queue 300  rate 2000
/// at 20 forward  rate 500
/// flow media from 0 to 40
/// ```
///
/// A line that begins with `at` changes the conditions from that second on, in one or both directions; conditions that
/// it does not name stay. Rates are in kbit/s, times in milliseconds, losses are fractions of one.
/// docs/network-tests.md lists all keywords.
///
/// ```swift
/// let schedule = try NetworkSchedule(text)
/// network.follow(schedule, from: now, forward: alice.uplink, backward: bob.uplink)
/// ```
public struct NetworkSchedule: Sendable, Hashable {
    public enum Direction: Sendable, Hashable, CaseIterable {
        case forward
        case backward
    }

    /// Something that runs across the link, from one time to another.
    package struct Flow: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable {
            /// Audio and video.
            case media
            /// A TCP connection that carries as much as it can.
            case tcp
            /// Data channels that carry as much as they can.
            case data
        }

        package var kind: Kind
        package var begin: TimeDelta
        package var end: TimeDelta
        /// The directions in which it sends.
        package var directions: Set<Direction>
        /// The additional one-way delay, beyond that of the link.
        package var delay: TimeDelta
    }

    /// The settings of the link from a time on.
    package struct Step: Sendable, Hashable {
        package var time: TimeDelta
        package var direction: Direction
        package var conditions: LinkConditions
    }

    public internal(set) var title = ""
    public internal(set) var duration = TimeDelta.zero
    /// In the order of time.
    package internal(set) var steps: [Step] = []
    package internal(set) var flows: [Flow] = []

    /// Reads a schedule.
    ///
    /// - Throws: ``NetworkScheduleError`` for the first line that cannot be read, or that a simulated link cannot do.
    public init(_ text: String) throws(NetworkScheduleError) {
        var reader = NetworkScheduleReader()
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            reader.line = index + 1
            try reader.read(line, into: &self)
        }
        guard duration > .zero, steps.contains(where: { $0.time == .zero }) else {
            throw NetworkScheduleError(line: reader.line, "a schedule says how long it is, and what the link does at 0")
        }
    }

    /// The conditions of a direction at a time.
    public func conditions(_ direction: Direction, at time: TimeDelta) -> LinkConditions {
        steps.last { $0.direction == direction && $0.time <= time }?.conditions ?? .perfect
    }
}

/// Why a schedule cannot be read.
public struct NetworkScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let message: String

    init(line: Int, _ message: String) {
        self.line = line
        self.message = message
    }

    public var description: String { "line \(line): \(message)" }
}

extension SimulatedNetwork {
    /// Lets two links follow a schedule, whose clock starts at `start`.
    ///
    /// Until then they are as they were. The changes are events of the network: ``nextDeadline`` names them too.
    public mutating func follow(
        _ schedule: NetworkSchedule, from start: Instant, forward: LinkID, backward: LinkID
    ) {
        for step in schedule.steps {
            let link = step.direction == .forward ? forward : backward
            scheduledConditions.append(step.conditions)
            events.insert(
                .changed(link: Int32(link.index), conditions: Int32(scheduledConditions.count - 1)),
                at: start + step.time)
        }
    }
}
