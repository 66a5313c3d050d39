import RTCWire
import Testing

@testable import RTCMedia
@testable import RTCPeer

/// What a file beside media may make when the other side stops telling what arrives.
@Suite("A file while feedback is missing")
struct DataInSilenceTests {
    private struct Sender {
        var control = CongestionControl(startBitrate: .megabits(1))
        var writer = TransportFeedbackWriter()
        var packets: Int64 = 0

        /// Sends a packet each 10 ms, of which the other side tells if it `answers`.
        ///
        /// - Returns: What data were allowed to make, each time; `nil` where nothing held them.
        mutating func run(from start: Int64, to end: Int64, answers: Bool) -> [Bitrate?] {
            stride(from: start, to: end, by: 10).map { time in
                let now = Instant.zero + .milliseconds(time)
                packets += 1
                control.enqueue(
                    RTPPacketReference(index: packets, size: 1_000, isRetransmission: false),
                    of: SynchronizationSource(1), .video, at: now)
                control.drain(at: now, while: { _ in true }) { next, number in
                    if answers { writer.record(number, at: now) }
                    let sent = SentRTPPacket(
                        size: next.reference.size, ssrc: next.source, sequenceNumber: RTPSequenceNumber(1),
                        hasTransportSequenceNumber: true, isRetransmission: false)
                    return (packet: sent, size: sent.size, usesSecondPath: false)
                }
                if answers, writer.nextDeadline <= now { receiveFeedback(at: now) }
                _ = control.nextDataOpening(at: now)
                return control.dataBudget.rate
            }
        }

        private mutating func receiveFeedback(at now: Instant) {
            var memory = [UInt8](repeating: 0, count: 1_500)
            memory.withUnsafeMutableBytes { memory in
                var bytes = ByteWriter(memory)
                writer.write(from: SynchronizationSource(2), media: SynchronizationSource(1), at: now, to: &bytes)
                var reader = RTCPReader(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes.written)))
                while let packet = reader.next() {
                    guard let feedback = TransportFeedback(packet) else { continue }
                    control.receive(feedback, at: now)
                }
            }
        }
    }

    @Test("It is held as long as media leave, and ever more, if the other side ever told anything")
    func silence() throws {
        var sender = Sender()
        let before = try #require(sender.run(from: 0, to: 3_000, answers: true).last ?? nil)
        let target = sender.control.target
        let silent = sender.run(from: 3_000, to: 13_000, answers: false)
        #expect(silent.allSatisfy { ($0 ?? .megabits(1_000)) <= target }, "\(target) \(silent)")
        #expect(try #require(silent.last ?? nil).bitsPerSecond < before.bitsPerSecond / 2)
    }

    @Test("It is held by nothing where the other side never tells anything")
    func withoutFeedback() {
        var sender = Sender()
        #expect(sender.run(from: 0, to: 5_000, answers: false).allSatisfy { $0 == nil })
    }
}
