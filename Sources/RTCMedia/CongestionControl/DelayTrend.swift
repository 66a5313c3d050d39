internal import RTCWire

/// Whether the queue on the path grows, from when packets left and when they arrived: the arrival-time filter and the
/// over-use detector of draft-ietf-rmcat-gcc-02 (sections 5.2 to 5.4), with a line fitted to the delay in the place of
/// the Kalman filter.
struct DelayTrend: Sendable {
    enum Usage: Sendable, Hashable {
        case normal, under, over
    }

    /// Packets that left within 5 ms of each other count as one.
    private struct Group: Sendable {
        var firstSent: Instant
        var lastSent: Instant
        var firstArrival: Instant
        var lastArrival: Instant
    }

    private static let groupLength = TimeDelta.milliseconds(5)
    private static let burstLength = TimeDelta.milliseconds(100)
    private static let windowSize = 20
    private static let smoothing = 0.9
    private static let gain = 4.0
    /// Milliseconds of over-use before it is believed.
    private static let overuseTime = 10.0

    /// How long the lowest delay is looked back for, at least; twice that at most.
    private static let lowestInterval = TimeDelta.seconds(20)

    private(set) var usage = Usage.normal

    /// How far the delay is above the lowest one of the last 20 to 40 s: the queue that stands, whether it grows or not.
    var standingQueue: TimeDelta {
        .microseconds(Int64(min(max(smoothed - min(lowest, lowestBefore), 0), 1e6) * 1_000))
    }

    private var current: Group?
    private var previous: Group?
    /// The delay that has gathered since the beginning, in ms, and its smoothed form.
    private var accumulated = 0.0
    private var smoothed = 0.0
    /// The lowest delay of this interval and of the one before: the delay without a queue.
    private var lowest = 0.0
    private var lowestBefore = 0.0
    private var lowestSince: Instant?
    /// The last groups: when they arrived, and the smoothed delay then; a ring.
    private var times = [Double](repeating: 0, count: windowSize)
    private var delays = [Double](repeating: 0, count: windowSize)
    private var groups = 0
    private var origin: Instant?
    private var threshold = 12.5
    private var lastUpdate: Instant?
    private var previousTrend = 0.0
    private var timeOverUsing: Double?
    private var overUses = 0

    /// Takes in a packet that arrived. Packets come in the order of their numbers.
    mutating func add(sent: Instant, arrival: Instant) {
        guard var group = current else {
            current = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
            return
        }
        // What left before its group is out of order and tells nothing.
        guard sent >= group.firstSent else { return }
        if belongs(sent: sent, arrival: arrival, to: group) {
            group.lastSent = max(group.lastSent, sent)
            group.lastArrival = max(group.lastArrival, arrival)
            current = group
            return
        }
        if let previous { compare(previous, group) }
        previous = group
        current = Group(firstSent: sent, lastSent: sent, firstArrival: arrival, lastArrival: arrival)
    }

    private func belongs(sent: Instant, arrival: Instant, to group: Group) -> Bool {
        if sent - group.firstSent <= Self.groupLength { return true }
        // What the network let through at once after it was held up: it came closer together than it left.
        let arrivalDelta = arrival - group.lastArrival
        return arrivalDelta <= Self.groupLength && arrivalDelta < sent - group.lastSent
            && arrival - group.firstArrival < Self.burstLength
    }

    private mutating func compare(_ before: Group, _ after: Group) {
        let sendDelta = Double((after.lastSent - before.lastSent).nanoseconds) / 1e6
        let arrivalDelta = Double((after.lastArrival - before.lastArrival).nanoseconds) / 1e6
        // A receiver whose clock jumped, or a path that was gone: begin anew.
        guard abs(arrivalDelta) < 3_000, sendDelta < 3_000 else {
            let usage = usage
            self = DelayTrend()
            self.usage = usage == .over ? .over : .normal
            return
        }
        let origin = self.origin ?? after.lastArrival
        self.origin = origin
        accumulated += arrivalDelta - sendDelta
        smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * accumulated
        followLowest(at: after.lastArrival)
        let place = groups % Self.windowSize
        times[place] = Double((after.lastArrival - origin).nanoseconds) / 1e6
        delays[place] = smoothed
        groups += 1
        let trend = groups >= Self.windowSize ? slope() : previousTrend
        detect(trend, sendDelta: sendDelta, at: after.lastArrival)
    }

    private mutating func followLowest(at arrival: Instant) {
        lowest = min(lowest, accumulated)
        if let lowestSince, arrival - lowestSince < Self.lowestInterval { return }
        lowestBefore = lowestSince == nil ? min(0, accumulated) : lowest
        lowest = accumulated
        lowestSince = arrival
    }

    /// The slope of the line through the window, by least squares; ms of delay per ms.
    private func slope() -> Double? {
        let meanTime = times.reduce(0, +) / Double(Self.windowSize)
        let meanDelay = delays.reduce(0, +) / Double(Self.windowSize)
        var numerator = 0.0
        var denominator = 0.0
        for index in 0..<Self.windowSize {
            let time = times[index] - meanTime
            numerator += time * (delays[index] - meanDelay)
            denominator += time * time
        }
        return denominator > 0 ? numerator / denominator : nil
    }

    private mutating func detect(_ slope: Double?, sendDelta: Double, at arrival: Instant) {
        guard let slope else { return }
        let trend = min(Double(groups), 60) * slope * Self.gain
        if trend > threshold {
            let time = (timeOverUsing ?? -sendDelta / 2) + sendDelta
            timeOverUsing = time
            overUses += 1
            if time > Self.overuseTime, overUses > 1, slope >= previousTrend {
                timeOverUsing = 0
                overUses = 0
                usage = .over
            }
        } else {
            timeOverUsing = nil
            overUses = 0
            usage = trend < -threshold ? .under : .normal
        }
        previousTrend = slope
        adaptThreshold(to: trend, at: arrival)
    }

    /// Follows the trend slowly upwards, so that a competing flow does not starve us, and faster downwards.
    private mutating func adaptThreshold(to trend: Double, at arrival: Instant) {
        defer { lastUpdate = arrival }
        guard let lastUpdate, abs(trend) <= threshold + 15 else { return }
        let factor = abs(trend) < threshold ? 0.039 : 0.0087
        let milliseconds = min(Double((arrival - lastUpdate).nanoseconds) / 1e6, 100)
        threshold += factor * (abs(trend) - threshold) * max(milliseconds, 0)
        threshold = min(max(threshold, 6), 600)
    }
}
