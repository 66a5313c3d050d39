import RTCWire
import Testing

@testable import RTCMedia

@Suite("A picture on its way")
struct VideoSendingTests {
    @Test("is cut, paced, sent, received and counted: the whole path of RTP")
    func picture() throws {
        var sender = OutgoingStreamFixture().stream
        var packetizer = try #require(VideoPacketizer(format: .vp8))
        var pacer = Pacer(rate: .megabits(5))
        var transport = TransportFeedbackReader()
        var receiver = RTPIncomingStream(
            RTPIncomingStream.Configuration(ssrc: OutgoingStreamFixture.ssrc, clockRate: 90_000))
        var arrivals = TransportFeedbackWriter()

        // A key frame of 20 kB.
        let picture = EncodedVideoFrame(
            format: .vp8, data: (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }, isKeyFrame: true,
            timestamp: RTPTimestamp(3_000))
        var extensions = RTPHeaderExtensions()
        extensions.rotation = .clockwise90
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: picture.timestamp, captureTime: .zero, extensions: extensions)
        let count = packetizer.begin(picture, maximumPayloadSize: sender.maximumPayloadSize(for: frame))
        while let packet = sender.write(frame, from: &packetizer, at: .zero) {
            pacer.enqueue(packet, stream: 0, priority: .video, at: .zero)
        }
        #expect(pacer.count == count)

        var datagram = [UInt8](repeating: 0, count: 1_500)
        var markers: [Bool] = []
        while !pacer.isEmpty {
            let now = max(pacer.nextDeadline, .zero)
            while let entry = pacer.next(at: now) {
                let sent = datagram.withUnsafeMutableBytes {
                    sender.send(
                        entry.packet, into: $0, transportSequenceNumber: transport.nextNumber, at: now)
                }
                guard let sent else { throw NothingThere() }
                transport.noteSent(size: sent.size, at: now)
                let packet = Array(datagram[..<sent.size])
                guard let parsed = ParsedRTP(packet), let number = parsed.extensions.transportSequenceNumber else {
                    throw NothingThere()
                }
                #expect(parsed.extensions.rotation == .clockwise90)
                arrivals.record(number, at: now + .milliseconds(20))
                markers.append(try receiver.arrival(packet, at: now + .milliseconds(20)).header.marker)
            }
        }
        #expect(markers.count == count)
        #expect(markers.last == true)
        #expect(markers.dropLast().allSatisfy { !$0 })
        #expect(receiver.reception.packetsReceived == UInt64(count))
        #expect(transport.bytesInFlight > 20_000)
        let report = PacketBytes.write {
            arrivals.write(
                from: SynchronizationSource(1), media: SynchronizationSource(2), at: .milliseconds(200), to: &$0)
        }
        PacketBytes.forEachRTCP(report) { packet in
            if let feedback = TransportFeedback(packet) { transport.handle(feedback) }
        }
        #expect(transport.bytesInFlight == 0)
        #expect(transport.results.count == count)
    }
}
