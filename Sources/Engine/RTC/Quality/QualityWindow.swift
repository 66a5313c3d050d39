/// The events of the last seconds, from about one reading per second.
struct QualityWindow: Sendable {
    private struct Entry: Sendable {
        var time: Double
        var reading: QualityReading
        /// The total seconds during which video was frozen although packets of it arrived.
        var frozen = 0.0
        /// The total seconds during which moving video arrived, and its number of frames.
        var moving = 0.0
        var pictures = 0
    }

    private var entries: [Entry] = []
    /// Whether video arrived until the newest reading. The gap after a pause is not a freeze.
    private var hadVideo = false
    /// The time since which nothing at all has arrived, after there were media.
    private var silentSince: Double?
    /// The maxima of received rows and frame rate, with slow decay.
    private var best: (rows: Double, pictures: Double) = (0, 0)

    static let length = 5.0
    /// The time in seconds in which the maxima decay by half.
    private static let memory = 300.0
    static let leastLength = 2.0
    private static let longestSilence = 2.0

    /// - Parameter time: In seconds, never decreasing.
    mutating func add(_ reading: QualityReading, at time: Double) {
        guard let last = entries.last else {
            return entries = [Entry(time: time, reading: reading)]
        }
        guard reading.isComparable(to: last.reading) else {
            self = QualityWindow()
            return add(reading, at: time)
        }
        noteSilence(from: last, to: reading, at: time)
        var entry = last
        (entry.time, entry.reading) = (time, reading)
        entry.frozen += still(from: last, to: reading, at: time)
        if let now = reading.receivedVideo, let before = last.reading.receivedVideo, now.packets > before.packets,
            now.isMoving(since: before)
        {
            entry.moving += time - last.time
            entry.pictures += now.frames - before.frames
        }
        entries.append(entry)
        // Keeps one entry before the window as its start.
        while entries.count > 2, entries[1].time <= time - Self.length { entries.removeFirst() }
        noteBest(seconds: time - last.time)
    }

    private mutating func still(from last: Entry, to reading: QualityReading, at time: Double) -> Double {
        guard let now = reading.receivedVideo, let before = last.reading.receivedVideo else { return 0 }
        defer { hadVideo = now.packets > before.packets }
        let seconds = time - last.time
        guard now.packets > before.packets, hadVideo else { return 0 }
        if now.frames == before.frames { return seconds }
        return now.isMoving(since: before) ? min(max(now.frozen - before.frozen, 0), seconds) : 0
    }

    private mutating func noteSilence(from last: Entry, to reading: QualityReading, at time: Double) {
        guard reading.datagramsReceived == last.reading.datagramsReceived else { return silentSince = nil }
        if silentSince == nil, entries.count > 1, reading.packetsReceived > entries[0].reading.packetsReceived {
            silentSince = last.time
        }
    }

    private mutating func noteBest(seconds: Double) {
        let forgotten = 1 - min(seconds / Self.memory, 1) / 2
        guard let last = entries.last?.reading.receivedVideo else { return }
        best.rows = max(best.rows * forgotten, Double(min(last.width, last.height)))
        if let pictures = change?.framesPerSecond { best.pictures = max(best.pictures * forgotten, pictures) }
    }

    /// `nil` until there are some seconds with media.
    var change: QualityChange? {
        guard let first = entries.first, let last = entries.last, last.time - first.time >= Self.leastLength,
            last.reading.hasMedia
        else { return nil }
        return QualityChange(
            seconds: last.time - first.time, before: first.reading, now: last.reading,
            frozen: last.frozen - first.frozen, moving: last.moving - first.moving,
            pictures: last.pictures - first.pictures, bestRows: best.rows, bestFrameRate: best.pictures,
            isSilent: silentSince.map { last.time - $0 >= Self.longestSilence } ?? false)
    }
}

extension QualityReading {
    fileprivate var packetsReceived: Int { (receivedAudio?.packets ?? 0) + (receivedVideo?.packets ?? 0) }

    /// Whether it is comparable with an earlier reading: counts of another stream start over.
    fileprivate func isComparable(to earlier: QualityReading) -> Bool {
        (receivedAudio == nil) == (earlier.receivedAudio == nil)
            && (receivedVideo == nil) == (earlier.receivedVideo == nil)
            && (receivedAudio?.packets ?? 0) >= (earlier.receivedAudio?.packets ?? 0)
            && (receivedVideo?.packets ?? 0) >= (earlier.receivedVideo?.packets ?? 0)
    }
}
