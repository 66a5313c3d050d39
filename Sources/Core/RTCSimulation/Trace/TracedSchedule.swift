package import RTCWire

/// The schedule of a link (docs/network-tests.md) that does to a call what the path of a traced call did.
///
/// What a sender cannot see is not in it: a rate above what it ever sent, and of two calls in one queue the other one.
package struct TracedSchedule: Sendable, Hashable {
    /// As in Tests/Networks. ``NetworkSchedule`` reads it.
    package private(set) var text: String

    /// A line of settings.
    private struct Line {
        /// In intervals.
        var time: Int
        var direction: Direction
        var settings: String
    }

    private enum Direction: String {
        case forward, backward
    }

    /// - Parameters:
    ///   - title: One line.
    ///   - forward: What the sender of the first trace saw.
    ///   - backward: What the other end saw. Without it, the way back is as long, has no limit, and holds back what
    ///     the forward direction shows of missing feedback.
    ///   - offset: How much later the trace of `backward` begins.
    package init(title: String, forward: TracedLink, backward: TracedLink? = nil, offset: TimeDelta = .zero) {
        let shift = Int(min(max(offset.milliseconds / TracedLink.length, -Self.mostIntervals), Self.mostIntervals))
        let one = TracedDirection(forward, queue: Self.usualQueue)
        let other = backward.map { TracedDirection($0, queue: Self.usualQueue) }
        var lines = Self.lines(of: one, .forward, shift: 0)
        if let other {
            lines += Self.lines(of: other, .backward, shift: shift)
        } else {
            lines += Self.answers(to: one)
        }
        let count = max(forward.intervals.count, (backward?.intervals.count ?? 0) + max(shift, 0), 10)
        let seconds = (count + 9) / 10
        let words = title.filter { !$0.isNewline && $0 != "#" }.prefix(120)
        text = "title \(words)\nseconds \(seconds)\n"
        // In the order of time, those of one moment as they came.
        let sorted = lines.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        for (_, line) in sorted {
            text += "at \(line.time / 10)" + (line.time % 10 == 0 ? "" : ".\(line.time % 10)")
            text += " \(line.direction.rawValue) \(line.settings)\n"
        }
        text += "flow media from 0 to \(seconds)\n"
    }

    private static let usualQueue = 250.0
    private static let mostIntervals = CallTrace.longest.milliseconds / TracedLink.length

    /// All that is known of a direction.
    private static func lines(of path: TracedDirection, _ direction: Direction, shift: Int) -> [Line] {
        var lines: [Line] = []
        func add(at time: Int, _ settings: String) {
            lines.append(Line(time: max(time + shift, 0), direction: direction, settings: settings))
        }
        func change(_ index: Int, _ settings: String) { add(at: path.departure(of: index), settings) }
        let rate = path.rates.steps.first.map { "\(kilobits($0.bitrate))" } ?? "none"
        let delay = whole(path.link.delay(at: 0))
        let first = "rate \(rate) delay \(delay) queue \(whole(path.queue))" + losses(at: 0, path)
        lines.append(Line(time: 0, direction: direction, settings: first))
        for delay in path.link.delays.dropFirst() { change(delay.begin, "delay \(whole(delay.delay))") }
        for rate in path.rates.steps.dropFirst() { change(rate.begin, "rate \(kilobits(rate.bitrate))") }
        for step in path.losses.steps.dropFirst() {
            // An outage has a loss of its own, and ends with this one.
            let silence = path.silences.latest(at: step.begin) { $0.range.lowerBound }
            if let silence, silence.kind == .outage, silence.range.contains(step.begin) { continue }
            change(step.begin, String(losses(at: step.begin, path).dropFirst()))
        }
        for silence in path.silences {
            let (begin, end) = path.departures(of: silence.range)
            switch silence.kind {
            case .stall:
                add(at: begin, "stall on")
                add(at: end, "stall off")
            case .outage:
                add(at: begin, "loss 1 burst 1")
                add(at: end, String(losses(at: silence.range.upperBound, path).dropFirst()))
            case .withoutFeedback: break
            }
        }
        return lines
    }

    /// What the forward direction shows of the way back.
    private static func answers(to path: TracedDirection) -> [Line] {
        let delay = whole(path.link.delay(at: 0))
        var lines = [Line(time: 0, direction: .backward, settings: "rate none delay \(delay) queue 250")]
        for delay in path.link.delays.dropFirst() {
            let time = path.departure(of: delay.begin)
            lines.append(Line(time: time, direction: .backward, settings: "delay \(whole(delay.delay))"))
        }
        for silence in path.silences where silence.kind == .withoutFeedback {
            let (begin, end) = path.departures(of: silence.range)
            lines.append(Line(time: begin, direction: .backward, settings: "stall on"))
            lines.append(Line(time: end, direction: .backward, settings: "stall off"))
        }
        return lines
    }

    private static func losses(at index: Int, _ path: TracedDirection) -> String {
        guard let step = path.losses.step(at: index) else { return " loss 0 burst 1 reorder none" }
        let reorder = step.reordered > 0 ? "\(share(step.reordered)) \(max(whole(step.lateness), 1))" : "none"
        return " loss \(share(step.share)) burst \(tenths(step.burst)) reorder \(reorder)"
    }

    // MARK: Numbers

    private static func kilobits(_ bitrate: Double) -> Int { max(whole(bitrate / 1_000, most: 10_000_000), 8) }

    private static func whole(_ number: Double, most: Double = 10_000) -> Int {
        number.isFinite ? Int(min(max(number, 0), most).rounded()) : 0
    }

    private static func tenths(_ number: Double) -> String {
        let number = whole(number * 10)
        return "\(number / 10).\(number % 10)"
    }

    /// With four digits behind the point.
    private static func share(_ number: Double) -> String {
        let number = whole(number * 10_000)
        let digits = String(number % 10_000)
        return "\(number / 10_000)." + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// What a trace shows of a direction.
private struct TracedDirection {
    let link: TracedLink
    let silences: [TracedSilence]
    let losses: TracedLosses
    let rates: TracedRates
    /// Its limit, in milliseconds at the rate.
    let queue: Double

    init(_ link: TracedLink, queue usual: Double) {
        self.link = link
        silences = TracedSilence.all(in: link)
        losses = TracedLosses(of: link, silences)
        rates = TracedRates(of: link, silences, losses)
        let longest = link.intervals.reduce(0) { max($0, $1.queue) }
        queue = losses.fullQueue.map { max($0 * 1.1, 50) } ?? max(usual, longest * 1.5)
    }

    /// When packets left whose arrival was reported in this interval.
    func departure(of index: Int) -> Int {
        let delay = min(max(link.delay(at: index), 0), 10_000)
        return max(index - Int(delay + 50) / Int(TracedLink.length), 0)
    }

    /// A time of at least one interval.
    func departures(of range: Range<Int>) -> (begin: Int, end: Int) {
        let begin = departure(of: range.lowerBound)
        return (begin, max(departure(of: range.upperBound), begin + 1))
    }
}
