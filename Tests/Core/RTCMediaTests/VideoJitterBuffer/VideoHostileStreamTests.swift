import RTCMedia
import RTCWire
import Testing

@Suite("A hostile stream of video")
struct VideoHostileStreamTests {
    @Test(
        "Random numbers, timestamps, times and bytes neither trap nor loop",
        arguments: [PayloadFormat.vp8, .vp9, .h264])
    func random(format: PayloadFormat) {
        for seed in UInt64(0)..<8 {
            let random = SeededRandom(seed: seed)
            let buffer = VideoTestBuffer()
            var number: Int64 = 65_536
            var now = Instant.zero
            for _ in 0..<4_000 {
                number += seed % 2 == 0 ? Int64(random.next(below: 6)) - 2 : Int64(random.next(below: 70_000)) - 30_000
                let head: [UInt8] = format == .h264 ? [[0x65, 0x41, 0x78, 0x7C][Int(random.next(below: 4))]] : []
                let info = VideoPacketInfo(
                    format: random.next(below: 50) == 0 ? .vp8 : format, sequenceNumber: max(number, 0),
                    timestamp: RTPTimestamp(
                        random.next(below: 3) == 0
                            ? UInt32(truncatingIfNeeded: random.next()) : UInt32(number & 0xFF) / 4),
                    marker: random.next(below: 3) == 0,
                    playoutDelay: random.next(below: 90) == 0
                        ? PlayoutDelay(minimum: .milliseconds(Int64(random.next(below: 50_000))), maximum: .seconds(40))
                        : nil, isRetransmission: random.next(below: 5) == 0)
                let payload = head + random.bytes(Int(random.next(below: random.next(below: 20) == 0 ? 3_000 : 30)))
                buffer.insert(VideoTestPacket(info: info, payload: payload, index: 0), at: now)
                for picture in buffer.drain(at: now) {
                    #expect(picture.renderTime >= now)
                    #expect(picture.renderTime - now <= .seconds(10))
                }
                _ = buffer.pollKeyFrameRequest(at: now)
                if random.next(below: 2) == 0 { now = now + .microseconds(Int64(random.next(below: 40_000))) }
                if let deadline = buffer.nextDeadline { #expect(deadline - now <= .seconds(11)) }
            }
        }
    }

    @Test("A picture without end costs no more than the buffer's size, and a key frame is asked for")
    func endless() {
        let buffer = VideoTestBuffer()
        var asked = false
        for number in Int64(0)..<20_000 {
            let payload: [UInt8] =
                (number == 0 ? [0x90, 0x80, 0x81, 0x01] : [0x80, 0x80, 0x81, 0x01])
                + TestPattern.vp8(isKey: true, size: 1_000)
            let info = VideoPacketInfo(
                format: .vp8, sequenceNumber: number, timestamp: RTPTimestamp(77), marker: false)
            let now = Instant.zero + .microseconds(number * 100)
            buffer.insert(VideoTestPacket(info: info, payload: payload, index: 0), at: now)
            #expect(buffer.poll(at: now) == nil)
            if buffer.pollKeyFrameRequest(at: now) { asked = true }
        }
        #expect(asked)
        #expect(buffer.statistics.packetsDiscarded > 17_000)
    }

    @Test("Pictures that all wait for a lost one are bounded in number")
    func queuedVideoFrames() {
        var sender = VideoTestSender(.vp8)
        sender.pictureSize = 100
        let buffer = VideoTestBuffer()
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: .zero) }
        #expect(buffer.drain(at: .zero).count == 1)
        _ = sender.next(isKey: false)
        var requests = 0
        for index in 0..<2_000 {
            let now = frameTime(index)
            for packet in sender.next(isKey: false) { buffer.insert(packet, at: now) }
            #expect(buffer.poll(at: now) == nil)
            if buffer.pollKeyFrameRequest(at: now) { requests += 1 }
        }
        // Asked again and again, but no more than a few times a second.
        #expect((150...400).contains(requests))
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: frameTime(2_100)) }
        #expect(buffer.drain(at: frameTime(2_101)).count == 1)
    }

    @Test("A sender that ceases in the middle of a picture is asked for a key frame for five seconds")
    func ceases() {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: .zero) }
        #expect(buffer.drain(at: .zero).count == 1)
        _ = sender.next(isKey: false)
        for packet in sender.next(isKey: false) { buffer.insert(packet, at: frameTime(2)) }
        var times: [Instant] = []
        while let deadline = buffer.nextDeadline, times.count < 1_000 {
            if buffer.pollKeyFrameRequest(at: deadline) { times.append(deadline) }
        }
        #expect((10...30).contains(times.count))
        #expect(times.allSatisfy { $0 <= frameTime(2) + .seconds(5) })
        for packet in sender.next(isKey: false) { buffer.insert(packet, at: milliseconds(60_000)) }
        #expect(buffer.pollKeyFrameRequest(at: milliseconds(60_000)))
    }

    @Test("A hold that is longer than there is room for gives pictures out early, and loses none")
    func crowded() {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        var shown: [AssembledVideoFrame] = []
        for index in 0..<600 {
            for var packet in sender.next(isKey: index == 0) {
                packet.info.playoutDelay = PlayoutDelay(minimum: .seconds(40), maximum: .seconds(40))
                buffer.insert(packet, at: frameTime(index))
                shown += buffer.drain(at: frameTime(index))
            }
        }
        #expect(shown.count > 400)
        #expect(shown.map(\.frame.data) == sender.pictures.prefix(shown.count).map(\.data))
        #expect(shown.allSatisfy { $0.renderTime - $0.completed >= .milliseconds(9_900) })
        #expect(buffer.statistics.framesDropped == 0)
        #expect(buffer.buffer.oldestNeededSequenceNumber == (shown.last?.lastSequenceNumber ?? 0) + 1)
    }

    @Test("A number far ahead begins anew, and numbers from before it are late")
    func leap() {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: .zero) }
        #expect(buffer.drain(at: .zero).count == 1)
        let old = sender.next(isKey: false)
        sender.nextSequenceNumber += 1_000_000
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: frameTime(2)) }
        #expect(buffer.drain(at: frameTime(2)).count == 1)
        for packet in old { buffer.insert(packet, at: milliseconds(80)) }
        #expect(buffer.drain(at: milliseconds(80)).isEmpty)
        #expect(buffer.statistics.packetsDiscarded == old.count)
    }

    @Test("What is no payload is counted and dropped")
    func malformed() {
        let buffer = VideoTestBuffer()
        let info = VideoPacketInfo(format: .vp8, sequenceNumber: 1, timestamp: RTPTimestamp(0), marker: true)
        buffer.insert(VideoTestPacket(info: info, payload: [0x80], index: 0), at: .zero)
        #expect(buffer.statistics.packetsMalformed == 1)
        #expect(buffer.nextDeadline == nil)
    }
}
