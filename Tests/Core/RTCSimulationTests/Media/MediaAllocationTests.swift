import AllocationCounting
import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Allocations on the path of media", .serialized)
struct MediaAllocationTests {
    /// The committed thresholds, with 22 packets to a picture. A packet costs nothing; what is left is a picture's
    /// bytes, and feedback some times a second.
    static let allocationsPerReceivedPacket = 0.1
    static let allocationsPerSentPacket = 0.05

    private final class Silence: AudioPacketSink {
        var packets = 0
        func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) { packets += 1 }
        func reset() {}
        func setExtraDelay(_ delay: TimeDelta) {}
        var presentation: (timestamp: RTPTimestamp, time: Instant)? { nil }
    }

    @Test("A stream of pictures and sound stays below the committed allocations per packet")
    func stream() throws {
        try #require(duet_allocations_of_this_thread() >= 0, "this C library counts no allocations")
        let pair = try DirectMediaPair(.everything)
        let now = pair.now
        let video = try pair.sender.peer.addTrack(.video, trackID: "picture", at: now)
        let audio = try pair.sender.peer.addTrack(.audio, trackID: "sound", at: now)
        pair.run(for: .seconds(1))
        let isSending = pair.sender.peer.isSending(video) && pair.sender.peer.isSending(audio)
        try #require(isSending)
        let sink = Silence()
        for transceiver in pair.receiver.peer.transceivers where transceiver.kind == .audio {
            pair.receiver.peer.setAudioSink(sink, of: transceiver.id)
        }
        let sound = [UInt8](repeating: 1, count: 80)
        var packets = 0
        var (sending, receiving, answering, events) = (0, 0, 0, 0)
        var time = Duration.zero
        var count = 0

        func allocations() -> Int { Int(duet_allocations_of_this_thread()) }

        /// 20 ms: a picture of 22 packets, which makes about 10 Mbit/s, and a packet of sound.
        func step() {
            count += 1
            let isKey = count == 1 || pair.sender.needsKeyFrame
            pair.sender.needsKeyFrame = false
            let mark = SyntheticVideo.Mark(number: count, reference: isKey ? nil : count - 1)
            let picture = SyntheticVideo.frame(
                mark, format: .vp8, size: 24_000, timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: count * 1_800)))
            let packet = EncodedAudioFrame(
                format: .opus, data: sound, timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: count * 960)),
                duration: 960)
            let a = allocations()
            pair.sender.peer.send(picture, captureTime: pair.now, on: video, at: pair.now)
            pair.sender.peer.send(packet, captureTime: pair.now, on: audio, at: pair.now)
            packets += pair.collect()
            let b = allocations()
            let start = ContinuousClock.now
            pair.deliver()
            time += ContinuousClock.now - start
            let c = allocations()
            pair.receiver.peer.handleTimeout(at: pair.now)
            _ = pair.transmit(pair.receiver)
            let d = allocations()
            pair.takeEvents()
            sending += b - a
            receiving += c - b
            answering += d - c
            events += allocations() - d
        }

        // The queues and the history grow to their size first.
        for _ in 0..<500 { step() }
        (packets, sending, receiving, answering, events, time) = (0, 0, 0, 0, 0, .zero)
        let before = (pair.receiver.pictures, sink.packets)
        for _ in 0..<500 { step() }
        #expect(pair.receiver.pictures - before.0 >= 495)
        #expect(sink.packets - before.1 == 500)
        #expect(packets > 10_000)
        let perSent = Double(sending) / Double(packets)
        let perReceived = Double(receiving) / Double(packets)
        #expect(perSent < Self.allocationsPerSentPacket)
        #expect(perReceived < Self.allocationsPerReceivedPacket)
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        print(
            "media: \(packets) packets; allocations per packet: sending \(perSent), receiving \(perReceived),",
            "answering \(Double(answering) / Double(packets)), events \(Double(events) / Double(packets));",
            "received \(Int(Double(packets) / seconds)) packets/s with the stand-in for SRTP")
    }
}
