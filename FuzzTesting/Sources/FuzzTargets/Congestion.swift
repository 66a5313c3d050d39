import RTCMedia
import RTCWire

/// Packets that are sent, and feedback that is well-formed and says anything of them: which arrived, and when. What comes of
/// it is a rate within its bounds, and each packet is told of as often as something has changed for it.
func fuzzCongestion(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var path = FuzzedPath(&input)
    for _ in 0..<400 where !input.isEmpty {
        path.step(&input)
        path.check()
    }
}

/// A sender's end of a path, of which somebody hostile is the other.
private struct FuzzedPath {
    private var sent = TransportFeedbackReader()
    private var estimator: BandwidthEstimator
    private var now = Instant.zero
    /// Bytes that have left so far, and those since the last change of the path.
    private var total = 0
    private var isOnPathSince = 0
    /// Packets that were told to have arrived, and that were sent.
    private var (arrived, count) = (0, 0)

    init(_ input: inout FuzzInput) {
        var configuration = BandwidthEstimator.Configuration()
        configuration.start = .kilobits(Int64(input.byte()) * 20)
        configuration.minimum = .kilobits(Int64(input.byte()))
        configuration.maximum = .kilobits(Int64(input.byte()) * 100)
        estimator = BandwidthEstimator(configuration)
    }

    mutating func step(_ input: inout FuzzInput) {
        let choice = input.byte()
        now += .milliseconds(Int64(choice >> 4) * (choice & 8 == 0 ? 2 : 60))
        switch choice & 7 {
        case 0, 1, 2: send(&input)
        case 3, 4, 5: receive(feedback(&input))
        case 6:
            let limit = Bitrate(bitsPerSecond: Int64(input.byte()) << Int64(input.byte() % 50))
            estimator.update(ReceiverEstimatedMaximumBitrate(bitrate: limit), at: now)
        default:
            if input.byte() == 0 {
                sent.pathChanged()
                estimator.pathChanged()
                isOnPathSince = total
            } else {
                _ = estimator.handleMissingFeedback(bytesInFlight: sent.bytesInFlight, at: now)
            }
        }
    }

    private mutating func send(_ input: inout FuzzInput) {
        let packets = input.number(below: 12) + 1
        let (size, gap) = (Int(input.byte()) * 6, Int64(input.byte()))
        for _ in 0..<packets {
            sent.noteSent(size: size, at: now)
            total += size
            count += 1
            now += .microseconds(gap * 20)
        }
    }

    /// Feedback about packets near the newest: mostly those that have left, at times that are mostly near to ours.
    private func feedback(_ input: inout FuzzInput) -> [UInt8] {
        let back = Int(input.byte())
        let base = sent.nextNumber.advanced(by: 3 - back).rawValue
        var packet: [UInt8] = [0x8F, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]
        packet += [UInt8(base >> 8), UInt8(truncatingIfNeeded: base)]
        let reported = input.number(below: 64)
        packet += [0, UInt8(reported)]
        let wild = input.byte()
        let time =
            now.nanoseconds / 64_000_000 + (wild < 200 ? Int64(wild & 3) : Int64(wild) << Int64(input.byte() % 20))
        packet += [UInt8(truncatingIfNeeded: time >> 16), UInt8(truncatingIfNeeded: time >> 8)]
        packet += [UInt8(truncatingIfNeeded: time), input.byte()]
        var deltas: [UInt8] = []
        for _ in stride(from: 0, to: reported, by: 7) {
            let symbols = [input.byte(), input.byte()]
            // Seven of two bits each; the value that is reserved becomes an arrival.
            var chunk: UInt16 = 0xC000
            for index in 0..<7 {
                var symbol = UInt16(symbols[index / 4] >> UInt8(2 * (index % 4))) & 3
                if symbol == 3 { symbol = 1 }
                chunk |= symbol << UInt16(2 * (6 - index))
                if symbol == 1 { deltas.append(input.byte() >> 3) }
                if symbol == 2 { deltas += [input.byte(), input.byte()] }
            }
            packet += [UInt8(chunk >> 8), UInt8(truncatingIfNeeded: chunk)]
        }
        packet += deltas
        while packet.count % 4 > 0 { packet.append(0) }
        packet[3] = UInt8(packet.count / 4 - 1)
        return packet
    }

    private mutating func receive(_ packet: [UInt8]) {
        packet.withUnsafeBytes { memory in
            var reader = RTCPReader(RawSpan(_unsafeBytes: memory))
            while let packet = reader.next() {
                guard let feedback = TransportFeedback(packet), sent.handle(feedback) else { continue }
                for result in sent.results {
                    precondition(result.sent <= now, "a packet is told of before it was sent")
                    if result.arrival != nil { arrived += 1 }
                }
                precondition(arrived <= count, "more packets have arrived than were sent")
                estimator.update(sent.results, at: now)
            }
        }
    }

    /// Whatever the other side says.
    func check() {
        let bounds = estimator.configuration
        let least = max(bounds.minimum.bitsPerSecond, 1_000)
        let target = estimator.target.bitsPerSecond
        precondition(target >= least, "the target is below the minimum")
        precondition(target <= max(bounds.maximum.bitsPerSecond, least), "the target is above the maximum")
        precondition((0...(total - isOnPathSince)).contains(sent.bytesInFlight), "more is in flight than has left")
        precondition((0...1).contains(estimator.loss), "a share is none")
        precondition(estimator.window >= 0 && estimator.window < 1 << 31, "the window is out of bounds")
        precondition(estimator.standingQueue >= .zero, "a queue is shorter than none")
        precondition(estimator.roundTripTime ?? .zero >= .zero, "the answer came before the question")
        precondition(estimator.acknowledgedBitrate?.bitsPerSecond ?? 0 >= 0, "less than nothing arrives")
    }
}
