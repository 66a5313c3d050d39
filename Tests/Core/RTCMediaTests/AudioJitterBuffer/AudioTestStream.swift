import RTCMedia
import RTCWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A codec whose packets say which 20 ms of a tone they are. Its sound is known sample by sample, so that a test sees
/// what the buffer made of it.
final class ToneDecoder: AudioDecoder {
    let sampleRate: Int
    let channels: Int
    let frequency: Double
    let hasForwardErrorCorrection: Bool
    let concealsItself: Bool
    /// The packets that carry the one before them, where the codec can: all, unless a test says otherwise.
    var carriesPrevious: (UInt32) -> Bool = { _ in true }
    /// The tone, which repeats after a second: its frequency is a whole number.
    private let second: [Int16]
    var decodedPackets: [UInt32] = []
    var recoveredPackets: [UInt32] = []

    init(
        sampleRate: Int = 48_000, channels: Int = 1, frequency: Double = 440, hasForwardErrorCorrection: Bool = false,
        concealsItself: Bool = false
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.frequency = frequency
        self.hasForwardErrorCorrection = hasForwardErrorCorrection
        self.concealsItself = concealsItself
        second = (0..<sampleRate).map {
            Int16(8_000 * sin(2 * Double.pi * frequency * Double($0) / Double(sampleRate)))
        }
    }

    var samplesPerPacket: Int { sampleRate / 50 }

    static func payload(_ index: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [0xA0]
        bytes.append(bigEndian: index)
        return bytes
    }

    func duration(of payload: RawSpan) -> Int? {
        payload.byteCount == 5 && payload.byte(at: 0) == 0xA0 ? samplesPerPacket : nil
    }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard duration(of: payload) != nil, let index = payload.uint32(at: 1) else { return nil }
        decodedPackets.append(index)
        return fill(index, into: output)
    }

    func carriesPreviousPacket(_ payload: RawSpan) -> Bool {
        guard hasForwardErrorCorrection, let index = payload.uint32(at: 1) else { return false }
        return carriesPrevious(index)
    }

    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard carriesPreviousPacket(next), let index = next.uint32(at: 1), index > 0 else { return nil }
        recoveredPackets.append(index - 1)
        return fill(index - 1, into: output)
    }

    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard concealsItself else { return nil }
        for index in 0..<(samples * channels) { output[index] = 0 }
        return samples
    }

    func reset() {}

    private func fill(_ index: UInt32, into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        let start = Int(index) * samplesPerPacket % sampleRate
        if channels == 1 {
            _ = output.update(from: second[start..<start + samplesPerPacket])
        } else {
            for sample in 0..<samplesPerPacket {
                for channel in 0..<channels { output[sample * channels + channel] = second[start + sample] }
            }
        }
        return samplesPerPacket
    }
}

/// Sends packets of a tone to a jitter buffer in virtual time, and plays what comes out.
struct AudioTestStream: ~Copyable {
    static let type = RTPPayloadType(111)

    var buffer = AudioJitterBuffer()
    let decoder: ToneDecoder
    var played: [Int16] = []
    /// Of each 10 ms that was played, whether it was real.
    var real: [Bool] = []
    var timestamps: [RTPTimestamp?] = []
    /// Where the buffered level was at each 10 ms, in milliseconds.
    var levels: [Double] = []
    /// How many packets earlier the ones are that each packet carries along, the earliest first.
    var copies: [UInt32] = []
    private var arrivals: [(time: Instant, index: UInt32)] = []
    private(set) var now = Instant.zero
    let firstTimestamp: UInt32
    let clockRate: UInt32
    private let room = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 960)

    init(decoder: ToneDecoder = ToneDecoder(), firstTimestamp: UInt32 = 1_000) {
        self.decoder = decoder
        self.firstTimestamp = firstTimestamp
        clockRate = UInt32(decoder.sampleRate)
        buffer.setDecoder(decoder, for: Self.type, clockRate: clockRate)
        room.initialize(repeating: 0)
    }

    deinit { room.deallocate() }

    /// Has packet `index` arrive `delay` after it was sent; it is sent every 20 ms.
    mutating func send(_ index: UInt32, delay: TimeDelta = .milliseconds(5)) {
        arrivals.append((.zero + .milliseconds(20) * Int64(index) + delay, index))
    }

    /// Plays until `end`.
    mutating func play(until end: TimeDelta) {
        arrivals.sort { $0.time < $1.time }
        while now - .zero < end {
            while let next = arrivals.first, next.time <= now {
                arrivals.removeFirst()
                insert(next.index, arrival: next.time)
            }
            let output = buffer.render(into: room, at: now)
            if let output {
                if output.channels == 1 {
                    played.append(contentsOf: room[..<output.sampleCount])
                } else {
                    for sample in 0..<output.sampleCount { played.append(room[sample * output.channels]) }
                }
                real.append(output.isReal)
            }
            timestamps.append(output?.timestamp)
            levels.append(Double(buffer.level.nanoseconds) / 1e6)
            now += .milliseconds(10)
        }
    }

    mutating func insert(_ index: UInt32, arrival: Instant) {
        let timestamp = RTPTimestamp(firstTimestamp &+ index &* UInt32(decoder.samplesPerPacket))
        ToneDecoder.payload(index).withUnsafeBytes {
            buffer.insert(
                RawSpan(_unsafeBytes: $0), sequenceNumber: Int64(index) + 70_000, timestamp: timestamp,
                payloadType: Self.type, arrival: arrival)
        }
        for (place, distance) in copies.enumerated() where distance <= index {
            insertCopy(
                ToneDecoder.payload(index - distance), offset: distance * UInt32(decoder.samplesPerPacket),
                place: copies.count - place, number: Int64(index) + 70_000, timestamp: timestamp, arrival: arrival)
        }
    }

    mutating func insertCopy(
        _ payload: [UInt8], offset: UInt32, place: Int, number: Int64, timestamp: RTPTimestamp,
        type: RTPPayloadType = AudioTestStream.type, arrival: Instant
    ) {
        payload.withUnsafeBytes {
            buffer.insertCopy(
                RawSpan(_unsafeBytes: $0), offset: offset, place: place, sequenceNumber: number, timestamp: timestamp,
                payloadType: type, arrival: arrival)
        }
    }

    /// The largest step between two samples of what was played: a click is a large one.
    func largestStep(from first: Int = 0) -> Int {
        played.withUnsafeBufferPointer { played in
            var (largest, index) = (0, first + 1)
            while index < played.count {
                largest = max(largest, abs(Int(played[index]) - Int(played[index - 1])))
                index += 1
            }
            return largest
        }
    }

    /// The frequency of what was played, by its zero crossings.
    func frequency(of range: Range<Int>) -> Double {
        let part = played[range]
        let crossings = zip(part, part.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        return Double(crossings) * Double(decoder.sampleRate) / Double(part.count)
    }
}
