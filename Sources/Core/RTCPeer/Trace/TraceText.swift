package import RTCWire

/// Formats the events of a connection as trace lines, whose columns docs/trace.md lists. Without a file or a clock.
///
/// Numbers only: no addresses, names or stream identifiers, and no content.
package struct TraceText: Sendable {
    /// The state of one sender or receiver.
    package struct Stream: Sendable, Equatable {
        package var isVideo: Bool
        package var isSent: Bool
        /// Cumulative counts, in the order of the columns.
        package var counts: [Int]
        /// Current values, in the order of the columns.
        package var values: [Int]

        package init(isVideo: Bool, isSent: Bool, counts: [Int] = [], values: [Int] = []) {
            self.isVideo = isVideo
            self.isSent = isSent
            self.counts = counts
            self.values = values
        }
    }

    /// Lines that have not been taken yet.
    package private(set) var bytes: [UInt8] = []
    /// The prefix of the lines each time they are taken, since others may write to the same file.
    private var heading: [UInt8] = []

    private let begin: Instant
    private var last = CongestionSnapshot()
    private var lastStreams: [Int: Stream] = [:]
    private var lastSample: Instant

    /// The interval of lines without changes, so that a plot has no gaps.
    private static let quietInterval = TimeDelta.seconds(1)

    /// - Parameters:
    ///   - now: The start of the time axis.
    ///   - timeOfDay: In milliseconds since 1970.
    ///   - chapter: Distinguishes traces that start in the same millisecond.
    package init(at now: Instant, timeOfDay: Int, chapter: Int) {
        begin = now
        lastSample = now
        write("# duet trace 1 ")
        write(timeOfDay)
        column(chapter)
        write("\n")
        heading = bytes
    }

    /// Takes the lines.
    package mutating func take() -> [UInt8] {
        endLine()
        defer { bytes = [] }
        return bytes
    }

    /// `s`: bytes sent and acknowledged since the last such line, estimates and decisions. `d`: losses and reordering since then.
    package mutating func sample(_ now: CongestionSnapshot, at time: Instant) {
        var same = last
        same.standingQueue = now.standingQueue
        guard now != same || time - lastSample >= Self.quietInterval else { return }
        lastSample = time
        line("s", at: time)
        columns(
            now.packetsSent - last.packetsSent, now.bytesSent - last.bytesSent,
            now.packetsAcknowledged - last.packetsAcknowledged, now.bytesAcknowledged - last.bytesAcknowledged,
            now.packetsLost - last.packetsLost, now.bytesInFlight, now.window, Int(now.target.bitsPerSecond),
            Int(now.acknowledgedBitrate?.bitsPerSecond ?? 0), Int(now.standingQueue.milliseconds),
            Int(now.roundTripTime?.milliseconds ?? 0), Int(now.loss * 1_000), Int(now.queueTime.milliseconds),
            (now.isNearCapacity ? 1 : 0) + (now.isCompeting ? 2 : 0))
        if now.lossRuns != last.lossRuns || now.packetsReordered != last.packetsReordered {
            line("d", at: time)
            columns(
                now.lossRuns - last.lossRuns, now.packetsReordered - last.packetsReordered,
                Int((now.reorderingDelay - last.reorderingDelay).milliseconds))
        }
        last = now
    }

    /// `v`, `a`, `V`, `A`: the counts of a stream since its last line, and its current values.
    ///
    /// - Parameter number: The stream's number in this connection.
    package mutating func stream(_ stream: Stream, number: Int, at time: Instant) {
        let before = lastStreams[number]
        guard stream != before else { return }
        lastStreams[number] = stream
        line(stream.isSent ? (stream.isVideo ? "v" : "a") : (stream.isVideo ? "V" : "A"), at: time)
        column(number)
        for (index, count) in stream.counts.enumerated() {
            let earlier = before?.counts ?? []
            column(count - (index < earlier.count ? earlier[index] : 0))
        }
        for value in stream.values { column(value) }
    }

    /// Removes all streams except for these: the others have ended.
    package mutating func keepStreams(_ numbers: [Int]) {
        guard lastStreams.count > numbers.count else { return }
        lastStreams = lastStreams.filter { numbers.contains($0.key) }
    }

    /// `p`: the path has changed.
    package mutating func pathChanged(at time: Instant) { line("p", at: time) }

    /// `x`: this number of bytes of lines was dropped, because the disk was too slow.
    package mutating func leftOut(_ count: Int, at time: Instant) {
        line("x", at: time)
        column(count)
    }

    // MARK: Text

    private mutating func line(_ kind: StaticString, at time: Instant) {
        if bytes.isEmpty { bytes = heading }
        endLine()
        write(kind)
        column(Int((time - begin).milliseconds))
    }

    private mutating func endLine() {
        if let last = bytes.last, last != UInt8(ascii: "\n") { write("\n") }
    }

    private mutating func columns(_ numbers: Int...) {
        for number in numbers { column(number) }
    }

    private mutating func column(_ number: Int) {
        write(" ")
        write(number)
    }

    private mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ number: Int) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
