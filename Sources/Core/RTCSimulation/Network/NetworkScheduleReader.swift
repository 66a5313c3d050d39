import RTCWire

/// Reads the lines of a schedule, one after another.
struct NetworkScheduleReader {
    /// The settings of a direction so far; its queue size depends on its rate.
    private struct State {
        var conditions = LinkConditions()
        var rate: Bitrate?
        var isStalled = false
        var queueTime: TimeDelta? = .milliseconds(250)
        var queueBytes = 0
        var loss = 0.0
        var burst = 1.0
    }

    var line = 0
    private var forward = State()
    private var backward = State()
    private var words: ArraySlice<Substring> = []

    mutating func read(_ text: Substring, into schedule: inout NetworkSchedule) throws(NetworkScheduleError) {
        let code = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        words = code.split { $0 == " " || $0 == "\t" || $0 == "\r" }[...]
        guard let kind = words.popFirst() else { return }
        switch kind {
        case "title":
            schedule.title = words.joined(separator: " ")
        case "seconds":
            schedule.duration = try seconds()
        case "at":
            try readStep(into: &schedule)
        case "flow":
            try readFlow(into: &schedule)
        default:
            throw failure("“\(kind)” is not known")
        }
    }

    private mutating func readStep(into schedule: inout NetworkSchedule) throws(NetworkScheduleError) {
        let time = try seconds()
        guard time >= schedule.steps.last?.time ?? .zero else { throw failure("comes before the line above") }
        let directions = try directions()
        var (forward, backward) = (forward, backward)
        while let key = words.popFirst() {
            let values = words
            if directions.contains(.forward) { try change(key, &forward) }
            if directions.count == 2 { words = values }
            if directions.contains(.backward) { try change(key, &backward) }
        }
        (self.forward, self.backward) = (forward, backward)
        for direction in NetworkSchedule.Direction.allCases where directions.contains(direction) {
            let state = direction == .forward ? forward : backward
            schedule.steps.append(.init(time: time, direction: direction, conditions: Self.conditions(of: state)))
        }
    }

    private mutating func readFlow(into schedule: inout NetworkSchedule) throws(NetworkScheduleError) {
        guard let kind = NetworkSchedule.Flow.Kind(rawValue: String(try word())) else {
            throw failure("a flow is media, tcp or data")
        }
        var flow = NetworkSchedule.Flow(
            kind: kind, begin: .zero, end: .zero, directions: [.forward, .backward], delay: .zero)
        while let key = words.popFirst() {
            switch key {
            case "from": flow.begin = try seconds()
            case "to": flow.end = try seconds()
            case "direction": flow.directions = try directions()
            case "delay": flow.delay = try milliseconds()
            default: throw failure("“\(key)” is not known")
            }
        }
        schedule.flows.append(flow)
    }

    private mutating func change(_ key: Substring, _ state: inout State) throws(NetworkScheduleError) {
        switch key {
        case "rate": state.rate = try isNone() ? nil : kilobits()
        case "delay": state.conditions.delay = try milliseconds()
        case "jitter": state.conditions.jitter = .uniform(upTo: try milliseconds())
        case "queue": state.queueTime = try milliseconds()
        case "queuebytes":
            state.queueTime = nil
            state.queueBytes = Int(try number())
        case "loss": state.loss = try number()
        case "burst": state.burst = try number()
        case "stall":
            let value = try word()
            guard value == "on" || value == "off" else { throw failure("a stall is on or off") }
            state.isStalled = value == "on"
        case "reorder":
            state.conditions.reordering =
                try isNone() ? .none : Reordering(probability: try number(), delay: try milliseconds())
        case "policer":
            state.conditions.policer =
                try isNone() ? nil : Policer(rate: try kilobits(), burst: Int(try number()))
        case "mark":
            guard try isNone() else { throw failure("a simulated link marks nothing: it has no ECN") }
        default: throw failure("“\(key)” is not known")
        }
    }

    /// A stall is a rate of zero. Neither a stall nor an unlimited rate changes the size of the queue.
    private static func conditions(of state: State) -> LinkConditions {
        var conditions = state.conditions
        conditions.bandwidth = state.isStalled ? Bitrate(bitsPerSecond: 0) : state.rate
        if let time = state.queueTime {
            let rate = state.rate ?? .megabits(1_000)
            conditions.queue = .bytes(Int(Double(rate.bitsPerSecond) * Double(time.nanoseconds) / 8e9))
        } else {
            conditions.queue = .bytes(state.queueBytes)
        }
        if state.loss > 0 {
            conditions.loss =
                state.burst > 1 ? .bursts(rate: state.loss, meanLength: state.burst) : .random(state.loss)
        }
        return conditions
    }

    // MARK: Parsing words

    private func failure(_ message: String) -> NetworkScheduleError { NetworkScheduleError(line: line, message) }

    private mutating func word() throws(NetworkScheduleError) -> Substring {
        guard let word = words.popFirst() else { throw failure("ends too early") }
        return word
    }

    /// Consumes the next word if it is “none”.
    private mutating func isNone() throws(NetworkScheduleError) -> Bool {
        guard let next = words.first else { throw failure("ends too early") }
        guard next == "none" else { return false }
        words.removeFirst()
        return true
    }

    private mutating func number() throws(NetworkScheduleError) -> Double {
        let word = try word()
        guard let number = Double(word), number >= 0, number < 1e9 else { throw failure("“\(word)” is no number") }
        return number
    }

    private mutating func kilobits() throws(NetworkScheduleError) -> Bitrate {
        Bitrate(bitsPerSecond: Int64(try number() * 1_000))
    }

    private mutating func milliseconds() throws(NetworkScheduleError) -> TimeDelta {
        TimeDelta(nanoseconds: Int64(try number() * 1_000_000))
    }

    private mutating func seconds() throws(NetworkScheduleError) -> TimeDelta {
        TimeDelta(nanoseconds: Int64(try number() * 1_000_000_000))
    }

    private mutating func directions() throws(NetworkScheduleError) -> Set<NetworkSchedule.Direction> {
        switch try word() {
        case "both": return [.forward, .backward]
        case "forward": return [.forward]
        case "backward": return [.backward]
        case let other: throw failure("“\(other)” is no direction")
        }
    }
}
