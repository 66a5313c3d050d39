import RTCMedia
import RTCWire
import Testing

@Suite("Pictures under loss")
struct VideoLossTests {
    static let formats: [PayloadFormat] = [.vp8, .vp9, .h264]

    @Test("30 % loss with retransmission: every picture is shown, in order", arguments: formats)
    func retransmission(format: PayloadFormat) {
        let random = SeededRandom(seed: 30)
        var call = VideoTestCall(format)
        call.isLost = { _, _ in random.nextUnit() < 0.3 }
        call.run(frames: 900)
        #expect(call.isDecodable)
        #expect(call.shown.count > 850)
        #expect(call.keyFrameRequests.count < 20)
        #expect(call.longestGap() < 800)
    }

    @Test("Reordering, duplication and jitter lose nothing", arguments: formats)
    func reordering(format: PayloadFormat) {
        let random = SeededRandom(seed: 31)
        var call = VideoTestCall(format)
        call.reorders = true
        call.extraDelay = { _ in .microseconds(Int64(random.next(below: 15_000))) }
        call.isDuplicated = { random.nextUnit() < 0.2 }
        call.run(frames: 600)
        #expect(call.isDecodable)
        #expect(call.shown.count == 600)
        #expect(call.keyFrameRequests.isEmpty)
        #expect(call.buffer.statistics.packetsDuplicated + call.buffer.statistics.packetsDiscarded > 100)
    }

    @Test("Loss without retransmission: a key frame is asked for, and the picture goes on with it", arguments: formats)
    func keyFrameAfterLoss(format: PayloadFormat) {
        var call = VideoTestCall(format)
        call.retransmits = false
        call.isLost = { time, _ in time == milliseconds(3_000) }
        call.run(frames: 150)
        #expect(call.isDecodable)
        #expect(call.keyFrameRequests.count == 1)
        #expect(call.longestGap() < 350)
        #expect(call.shown.last?.index == 149)
        #expect(call.buffer.statistics.freezeCount == 1)
        #expect(!call.buffer.needsKeyFrame)
    }

    @Test("5 % loss without retransmission: always one key frame after another, and never a torn picture")
    func steadyLoss() {
        for format in Self.formats {
            let random = SeededRandom(seed: 5)
            var call = VideoTestCall(format)
            call.retransmits = false
            call.isLost = { _, _ in random.nextUnit() < 0.05 }
            call.run(frames: 900)
            #expect(call.isDecodable)
            #expect(call.shown.count > 100)
            #expect(call.longestGap() < 2_000)
        }
    }

    @Test("After an outage of 300 ms the picture moves within 500 ms, with and without retransmission")
    func outage() {
        for format in Self.formats {
            for (retransmits, delay) in [(true, 5), (true, 50), (true, 100), (false, 5), (false, 50)] as [(Bool, Int64)]
            {
                var call = VideoTestCall(format)
                call.retransmits = retransmits
                call.oneWayDelay = .milliseconds(delay)
                let outage = milliseconds(4_000)..<milliseconds(4_300)
                call.isLost = { time, _ in outage.contains(time) }
                call.run(frames: 300)
                #expect(call.isDecodable)
                let moves = call.shown.first { $0.time > outage.upperBound + call.oneWayDelay }
                #expect((moves?.time ?? .distantFuture) - outage.upperBound < .milliseconds(500) + call.oneWayDelay)
                // Nor does the delay stay grown.
                let late = call.delays.suffix(100).map(\.milliseconds)
                #expect((late.max() ?? 0) <= delay + 5, "\(format) \(retransmits) \(delay)")
            }
        }
    }

    @Test("A stream joined in its middle: a key frame is asked for at once")
    func joined() {
        var sender = VideoTestSender(.vp8)
        _ = sender.next(isKey: true)
        let buffer = VideoTestBuffer()
        let now = milliseconds(500)
        for packet in sender.next(isKey: false) { buffer.insert(packet, at: now) }
        #expect(buffer.poll(at: now) == nil)
        #expect(buffer.needsKeyFrame)
        #expect(buffer.nextDeadline == now)
        #expect(buffer.pollKeyFrameRequest(at: now))
        // Not again before one could have come.
        #expect(!buffer.pollKeyFrameRequest(at: now + .milliseconds(150)))
        #expect(buffer.nextDeadline == now + .milliseconds(200))
        #expect(buffer.pollKeyFrameRequest(at: now + .milliseconds(200)))
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: now + .milliseconds(250)) }
        #expect(buffer.drain(at: now + .milliseconds(250)).count == 1)
        #expect(!buffer.needsKeyFrame)
        #expect(buffer.statistics.framesDropped == 1)
        #expect(buffer.statistics.keyFramesRequested == 2)
    }

    @Test("A key frame on its way is not asked for once more")
    func keyFrameInTransit() {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        _ = sender.next(isKey: true)
        for packet in sender.next(isKey: false) { buffer.insert(packet, at: milliseconds(0)) }
        #expect(buffer.pollKeyFrameRequest(at: milliseconds(0)))
        for packet in sender.next(isKey: true).dropLast() { buffer.insert(packet, at: milliseconds(190)) }
        #expect(!buffer.pollKeyFrameRequest(at: milliseconds(400)))
        // It gets the time that anything gets to come again.
        #expect(buffer.pollKeyFrameRequest(at: milliseconds(190 + 300)))
    }

    @Test("A sender that pauses is no loss")
    func pause() {
        var call = VideoTestCall(.vp8)
        call.pause = 3_000...4_500
        call.run(frames: 200)
        #expect(call.keyFrameRequests.isEmpty)
        #expect(call.shown.last?.index == 199)
    }

    @Test("A late packet that still helps is used after a key frame was asked for")
    func lateHelp() {
        var sender = VideoTestSender(.vp9)
        let buffer = VideoTestBuffer()
        for packet in sender.next(isKey: true) { buffer.insert(packet, at: milliseconds(0)) }
        #expect(buffer.drain(at: milliseconds(0)).count == 1)
        let lost = sender.next(isKey: false)
        for packet in lost.dropFirst() { buffer.insert(packet, at: milliseconds(33)) }
        for packet in sender.next(isKey: false) { buffer.insert(packet, at: milliseconds(66)) }
        #expect(buffer.drain(at: milliseconds(66)).isEmpty)
        #expect(buffer.pollKeyFrameRequest(at: milliseconds(400)))
        buffer.insert(lost[0], at: milliseconds(410), isRetransmission: true)
        let pictures = buffer.drain(at: milliseconds(410))
        #expect(pictures.count == 2)
        #expect(pictures.map(\.wasRetransmitted) == [true, false])
        #expect(!buffer.pollKeyFrameRequest(at: milliseconds(1_000)))
    }
}
