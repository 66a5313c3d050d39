import RTCWire
import Testing

@testable import RTCMedia
@testable import RTCPeer

@Suite("Congestion control while packets are copied to a second path")
struct CongestionInDoubtTests {
    @Test("What missing feedback took from the rate comes back with feedback about copies of everything")
    func silenceEnds() {
        var sender = DoubtingSender()
        sender.run(for: .seconds(3))
        let before = sender.control.target
        sender.isReported = false
        sender.run(for: .milliseconds(1_200))
        #expect(sender.control.target.bitsPerSecond * 10 < before.bitsPerSecond * 7)
        sender.isReported = true
        sender.copy(.everything)
        sender.run(for: .milliseconds(300))
        let during = sender.control.target
        #expect(during.bitsPerSecond * 10 >= before.bitsPerSecond * 9, "\(during) after \(before)")
    }

    @Test("Feedback about sound, which the second path may have carried, does not end the silence of the first")
    func copiesEndNoSilence() {
        var sender = DoubtingSender()
        sender.run(for: .seconds(3))
        let before = sender.control.target
        sender.copy(.sound)
        sender.isBlocked = true
        sender.run(for: .milliseconds(1_500))
        #expect(sender.control.target.bitsPerSecond * 10 < before.bitsPerSecond * 7)
    }

    @Test("Packets that were not copied show in the first step of a doubt that the path has narrowed")
    func narrows() {
        var sender = DoubtingSender()
        sender.run(for: .seconds(3))
        sender.copy(.sound)
        sender.secondPathDelay = nil
        sender.bandwidth = .kilobits(300)
        sender.run(for: .milliseconds(900))
        #expect(sender.control.target < .kilobits(400), "\(sender.control.target)")
    }

    @Test(
        "Packets that are only delayed, while their successors come by the second path, are not lost",
        arguments: [1, 3])
    func stall(times: Int) {
        var sender = DoubtingSender()
        sender.run(for: .seconds(3))
        let before = sender.control.target
        for _ in 0..<times {
            sender.isStalled = true
            sender.run(for: .milliseconds(100))
            sender.copy(.sound)
            sender.run(for: .milliseconds(200))
            sender.isStalled = false
            sender.run(for: .milliseconds(50))
            sender.copy(.nothing)
            sender.run(for: .seconds(2))
        }
        #expect(sender.control.snapshot(at: sender.now).loss == 0)
        let after = sender.control.target
        #expect(after.bitsPerSecond * 10 >= before.bitsPerSecond * 8, "\(after) after \(before)")
    }
}

/// Sends sound and video over a path with one bottleneck, and sound over a second path while there is doubt.
private struct DoubtingSender {
    enum Copies {
        case nothing, sound, everything
    }

    var control = CongestionControl(startBitrate: .kilobits(800))
    var bandwidth = Bitrate.megabits(1)
    /// Whether nothing passes on the first path: what is sent waits, or is lost.
    var isStalled = false
    var isBlocked = false
    /// How long packets take on the second path; `nil` where they do not arrive.
    var secondPathDelay: TimeDelta? = .milliseconds(30)
    /// Whether feedback arrives.
    var isReported = true
    private(set) var now = Instant.zero

    private let source = SynchronizationSource(1)
    private var copies = Copies.nothing
    private var writer = TransportFeedbackWriter()
    private var index: Int64 = 0
    private var free = Instant.zero
    private var waiting: [(number: TransportSequenceNumber, size: Int)] = []
    private var arrivals: [(time: Instant, number: TransportSequenceNumber)] = []
    private var reports: [(time: Instant, bytes: [UInt8])] = []

    mutating func copy(_ copies: Copies) {
        self.copies = copies
        control.noteSecondPath(
            isInUse: copies != .nothing, limit: copies == .everything ? .kilobits(300) : nil, at: now)
    }

    /// A packet of sound each 20 ms, one of video each 16 ms (500 kbit/s).
    mutating func run(for time: TimeDelta) {
        let end = now + time
        while now < end {
            let milliseconds = (now - .zero).milliseconds
            if milliseconds % 20 == 0 { send(100, isSound: true) }
            if milliseconds % 16 == 0 { send(1_000, isSound: false) }
            transmit()
            report()
            now = now + .milliseconds(1)
        }
    }

    private mutating func send(_ size: Int, isSound: Bool) {
        control.enqueue(
            RTPPacketReference(index: index, size: size, isRetransmission: false), of: source,
            isSound ? .audio : .video, at: now)
        index += 1
    }

    private mutating func transmit() {
        var left: [(number: TransportSequenceNumber, size: Int)] = []
        let (source, copies) = (source, copies)
        control.drain(at: now, while: { _ in true }) { next, number in
            let size = next.reference.size
            left.append((number, size))
            let packet = SentRTPPacket(
                size: size, ssrc: source, sequenceNumber: RTPSequenceNumber(0), hasTransportSequenceNumber: true,
                isRetransmission: false)
            return (packet, size, copies == .everything || copies == .sound && size == 100)
        }
        for packet in left {
            if isCopied(packet.size), let secondPathDelay { arrivals.append((now + secondPathDelay, packet.number)) }
            if !isBlocked { waiting.append(packet) }
        }
        guard !isStalled else { return }
        for packet in waiting {
            free = max(free, now) + bandwidth.time(toSend: packet.size)
            arrivals.append((free + .milliseconds(20), packet.number))
        }
        waiting.removeAll()
    }

    private func isCopied(_ size: Int) -> Bool { copies == .everything || copies == .sound && size == 100 }

    private mutating func report() {
        arrivals.sort { $0.time < $1.time }
        while let first = arrivals.first, first.time <= now {
            writer.record(first.number, at: first.time)
            arrivals.removeFirst()
        }
        while writer.nextDeadline <= now {
            var memory = [UInt8](repeating: 0, count: 1_200)
            let count = memory.withUnsafeMutableBytes { memory in
                var bytes = ByteWriter(memory)
                writer.write(from: SynchronizationSource(2), media: source, at: now, to: &bytes)
                return bytes.count
            }
            guard count > 0 else { break }
            reports.append((now + .milliseconds(20), Array(memory[..<count])))
        }
        while let first = reports.first, first.time <= now {
            reports.removeFirst()
            guard isReported else { continue }
            first.bytes.withUnsafeBytes { bytes in
                var reader = RTCPReader(RawSpan(_unsafeBytes: bytes))
                guard let packet = reader.next(), let feedback = TransportFeedback(packet) else { return }
                control.receive(feedback, at: now)
            }
        }
    }
}
