package import RTCWire

/// The trace of a connection (docs/trace.md), read from bytes that anybody may have made.
///
/// Lines that cannot be read are skipped, as are those that are cut off, lie in the past or are later than ``longest``. The work
/// and the memory are in proportion to the bytes.
package struct CallTrace: Sendable, Hashable {
    /// A line `s`, with the line `d` that follows it. Counts are since the line before.
    package struct Sample: Sendable, Hashable {
        package internal(set) var time = TimeDelta.zero
        package internal(set) var packetsSent = 0
        package internal(set) var packetsAcknowledged = 0
        package internal(set) var bytesAcknowledged = 0
        /// Negative where packets that were reported as lost have arrived.
        package internal(set) var packetsLost = 0
        package internal(set) var bytesInFlight = 0
        package internal(set) var target = Bitrate(bitsPerSecond: 0)
        package internal(set) var queue = TimeDelta.zero
        /// Smoothed; zero if unknown.
        package internal(set) var roundTripTime = TimeDelta.zero
        package internal(set) var lossRuns = 0
        package internal(set) var packetsReordered = 0
        package internal(set) var reorderingDelay = TimeDelta.zero
    }

    /// A line `V`: video that was received since the line before.
    package struct ReceivedVideo: Sendable, Hashable {
        package internal(set) var time: TimeDelta
        package internal(set) var frames: Int
        package internal(set) var frozen: TimeDelta
    }

    /// The time of day at which the connection was created, in milliseconds since 1970.
    package internal(set) var timeOfDay: Int
    /// Tells connections apart that were created at the same time.
    package internal(set) var number: Int
    /// In the order of time.
    package internal(set) var samples: [Sample] = []
    package internal(set) var receivedVideo: [ReceivedVideo] = []
    /// When the path changed, in the order of time.
    package internal(set) var pathChanges: [TimeDelta] = []

    /// The last time that counts.
    package static let longest = TimeDelta.seconds(6 * 3_600)
    /// More connections of a file are ignored.
    package static let mostCalls = 1_000

    /// The connections in a file, whether written one after the other or interleaved, in the order of their first lines.
    package static func calls(in bytes: [UInt8]) -> [CallTrace] {
        var reader = CallTraceReader()
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            reader.read(bytes[start..<end])
            start = end + 1
        }
        return reader.calls
    }

    mutating func add(_ line: CallTraceLine) {
        guard let first = line.numbers.first, first >= 0, first <= Int(Self.longest.milliseconds) else { return }
        let time = TimeDelta.milliseconds(Int64(first))
        let numbers = line.numbers
        switch line.kind {
        case UInt8(ascii: "s") where numbers.count == 15:
            if let last = samples.last, time <= last.time { return }
            var sample = Sample(time: time)
            sample.packetsSent = max(numbers[1], 0)
            sample.packetsAcknowledged = max(numbers[3], 0)
            sample.bytesAcknowledged = max(numbers[4], 0)
            sample.packetsLost = numbers[5]
            sample.bytesInFlight = max(numbers[6], 0)
            sample.target = Bitrate(bitsPerSecond: Int64(max(numbers[8], 0)))
            sample.queue = .milliseconds(Int64(max(numbers[10], 0)))
            sample.roundTripTime = .milliseconds(Int64(max(numbers[11], 0)))
            samples.append(sample)
        case UInt8(ascii: "d") where numbers.count == 4:
            guard let index = samples.indices.last, samples[index].time == time else { return }
            samples[index].lossRuns = numbers[1]
            samples[index].packetsReordered = max(numbers[2], 0)
            samples[index].reorderingDelay = .milliseconds(Int64(max(numbers[3], 0)))
        case UInt8(ascii: "V") where numbers.count == 9:
            let frozen = TimeDelta.milliseconds(Int64(max(numbers[6], 0)))
            receivedVideo.append(ReceivedVideo(time: time, frames: max(numbers[5], 0), frozen: frozen))
        case UInt8(ascii: "p") where numbers.count == 1:
            if let last = pathChanges.last, time <= last { return }
            pathChanges.append(time)
        default: break
        }
    }
}

/// The lines of a file, one after the other.
private struct CallTraceReader {
    private struct Key: Hashable {
        var timeOfDay: Int
        var number: Int
    }

    private(set) var calls: [CallTrace] = []
    private var indices: [Key: Int] = [:]
    private var current: Int?

    private static let heading = Array("# duet trace 1 ".utf8)

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        if bytes.starts(with: Self.heading) {
            begin(CallTraceLine.numbers(bytes.dropFirst(Self.heading.count)))
        } else if let current, let line = CallTraceLine(bytes) {
            calls[current].add(line)
        }
    }

    private mutating func begin(_ numbers: [Int]?) {
        current = nil
        guard let numbers, let timeOfDay = numbers.first, numbers.count <= 2 else { return }
        let key = Key(timeOfDay: timeOfDay, number: numbers.count > 1 ? numbers[1] : 0)
        if let known = indices[key] {
            current = known
        } else if calls.count < CallTrace.mostCalls {
            calls.append(CallTrace(timeOfDay: key.timeOfDay, number: key.number))
            indices[key] = calls.count - 1
            current = calls.count - 1
        }
    }
}

/// A letter and whole numbers.
struct CallTraceLine {
    var kind: UInt8
    var numbers: [Int]

    /// No line of a trace has as many.
    private static let mostNumbers = 32
    private static let greatest = 1_000_000_000_000_000

    /// - Returns: `nil` for anything else.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let kind = bytes.first, bytes.count > 2, bytes[bytes.startIndex + 1] == UInt8(ascii: " "),
            let numbers = Self.numbers(bytes.dropFirst(2))
        else { return nil }
        self.kind = kind
        self.numbers = numbers
    }

    /// Numbers that are separated by single spaces.
    static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int]? {
        var numbers: [Int] = []
        var (value, digits, isNegative) = (0, 0, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard value <= greatest else { return nil }
            case UInt8(ascii: "-") where digits == 0 && !isNegative:
                isNegative = true
            case UInt8(ascii: " ") where digits > 0 && numbers.count < mostNumbers:
                numbers.append(isNegative ? -value : value)
                (value, digits, isNegative) = (0, 0, false)
            default:
                return nil
            }
        }
        guard digits > 0 else { return nil }
        numbers.append(isNegative ? -value : value)
        return numbers
    }
}
