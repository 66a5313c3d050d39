import RTCWire

/// Measures how regularly an event occurs on a path, and how long its absence is normal.
struct PathRhythm {
    /// The shortest patience: five audio packets.
    static let leastPatience = TimeDelta.milliseconds(100)
    /// The longest patience: the absence of rarer events is not judged.
    static let mostPatience = TimeDelta.seconds(1)
    /// Events at shorter intervals count as one burst, such as a video frame.
    private static let burst = TimeDelta.milliseconds(5)
    /// The number of intervals measured before they are trusted.
    private static let enough = 10

    private var mean = TimeDelta.zero
    private var deviation = TimeDelta.zero
    private var count = 0

    /// Adds a measured interval.
    mutating func note(_ wait: TimeDelta) {
        guard wait >= Self.burst else { return }
        let wait = min(wait, Self.mostPatience)
        guard count > 0 else {
            mean = wait
            deviation = wait / 2
            count = 1
            return
        }
        let error = wait - mean
        mean = mean + error / 16
        deviation = deviation + ((error < .zero ? .zero - error : error) - deviation) / 16
        if count < Self.enough { count += 1 }
    }

    /// Raises the mean because an interval beyond ``patience`` was harmless, such as a pause in speech.
    mutating func forgive() {
        mean = min(mean * 2, Self.mostPatience)
    }

    /// The time without an event after which its absence is suspicious; `nil` while unknown, and for rare events.
    var patience: TimeDelta? {
        guard count >= Self.enough else { return nil }
        let patience = mean * 3 + deviation * 4
        return patience > Self.mostPatience ? nil : max(patience, Self.leastPatience)
    }
}
