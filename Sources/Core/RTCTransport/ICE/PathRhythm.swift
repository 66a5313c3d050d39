import RTCWire

/// How regularly something happens on a path, and for how long its absence means nothing.
struct PathRhythm {
    /// The least that is waited: five packets of sound.
    static let leastPatience = TimeDelta.milliseconds(100)
    /// What happens more rarely tells nothing by its absence.
    static let mostPatience = TimeDelta.seconds(1)
    /// What follows more closely belongs to the same burst, such as a picture.
    private static let burst = TimeDelta.milliseconds(5)
    /// Waits that are measured before they are trusted.
    private static let enough = 10

    private var mean = TimeDelta.zero
    private var deviation = TimeDelta.zero
    private var count = 0

    /// Takes a wait into account.
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

    /// A wait beyond ``patience`` meant nothing, as in a pause of who speaks: the next may be longer.
    mutating func forgive() {
        mean = min(mean * 2, Self.mostPatience)
    }

    /// How long to wait before the absence is strange; `nil` while that is not known, and for what happens rarely.
    var patience: TimeDelta? {
        guard count >= Self.enough else { return nil }
        let patience = mean * 3 + deviation * 4
        return patience > Self.mostPatience ? nil : max(patience, Self.leastPatience)
    }
}
