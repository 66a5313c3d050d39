import RTCMedia
import RTCWire
import Testing

@Suite("Pictures are put together from packets")
struct VideoFrameAssemblyTests {
    @Test("In order, as they were sent, and at once", arguments: [PayloadFormat.vp8, .vp9, .h264])
    func inOrder(format: PayloadFormat) throws {
        var sender = VideoTestSender(format)
        let buffer = VideoTestBuffer()
        for index in 0..<40 {
            let now = frameTime(index)
            let packets = sender.next(isKey: index == 0)
            for packet in packets.dropLast() {
                buffer.insert(packet, at: now)
                #expect(buffer.poll(at: now) == nil)
            }
            buffer.insert(packets[packets.count - 1], at: now)
            let pictures = buffer.drain(at: now)
            try #require(pictures.count == 1)
            #expect(pictures[0].frame.data == sender.pictures[index].data)
            #expect(pictures[0].frame.isKeyFrame == (index == 0))
            #expect(pictures[0].frame.width == (format == .h264 ? 320 : 640))
            #expect(pictures[0].frame.height == (format == .h264 ? 240 : 360))
            #expect(pictures[0].firstSequenceNumber == packets[0].info.sequenceNumber)
            #expect(pictures[0].lastSequenceNumber == packets[packets.count - 1].info.sequenceNumber)
            #expect(pictures[0].renderTime - now < .milliseconds(2))
        }
        #expect(buffer.statistics.framesReceived == 40)
        #expect(buffer.statistics.keyFramesReceived == 1)
        #expect(buffer.statistics.framesDropped == 0)
        #expect(buffer.statistics.packetsDiscarded == 0)
        #expect(buffer.nextDeadline == nil)
        #expect(!buffer.needsKeyFrame)
    }

    @Test("In any order of packets, and with each of them twice", arguments: [PayloadFormat.vp8, .vp9, .h264])
    func anyOrder(format: PayloadFormat) {
        for seed in UInt64(1)...30 {
            let random = SeededRandom(seed: seed)
            var sender = VideoTestSender(format)
            var packets = (0..<10).flatMap { sender.next(isKey: $0 == 0) }
            packets += packets
            for index in packets.indices.reversed() {
                packets.swapAt(index, Int(random.next(below: UInt64(index + 1))))
            }
            let buffer = VideoTestBuffer()
            var pictures: [AssembledVideoFrame] = []
            for (count, packet) in packets.enumerated() {
                // Within the time that packets may overtake each other.
                let now = milliseconds(1_000) + .microseconds(Int64(count) * 100)
                buffer.insert(packet, at: now)
                pictures += buffer.drain(at: now)
            }
            pictures += buffer.drain(at: milliseconds(3_000))
            #expect(pictures.map(\.frame.data) == sender.pictures.map(\.data), "seed \(seed)")
            #expect(buffer.statistics.packetsDuplicated + buffer.statistics.packetsDiscarded == packets.count / 2)
        }
    }

    @Test("Packets that only pad take a number and nothing else", arguments: [PayloadFormat.vp8, .vp9, .h264])
    func padding(format: PayloadFormat) {
        var sender = VideoTestSender(format)
        let buffer = VideoTestBuffer()
        var count = 0
        for index in 0..<10 {
            let now = frameTime(index)
            for packet in sender.next(isKey: index == 0) { buffer.insert(packet, at: now) }
            for _ in 0..<3 {
                let info = VideoPacketInfo(
                    format: format, sequenceNumber: sender.nextSequenceNumber, timestamp: sender.timestamp(of: index),
                    marker: false)
                sender.nextSequenceNumber += 1
                buffer.insert(VideoTestPacket(info: info, payload: [], index: index), at: now)
            }
            count += buffer.drain(at: now).count
        }
        #expect(count == 10)
    }

    @Test("A lost padding packet holds up nothing where pictures are counted", arguments: [PayloadFormat.vp8, .vp9])
    func lostPadding(format: PayloadFormat) {
        var sender = VideoTestSender(format)
        let buffer = VideoTestBuffer()
        var count = 0
        for index in 0..<10 {
            let now = frameTime(index)
            for packet in sender.next(isKey: index == 0) { buffer.insert(packet, at: now) }
            sender.nextSequenceNumber += 2
            count += buffer.drain(at: now).count
        }
        #expect(count == 10)
        #expect(!buffer.needsKeyFrame)
    }

    @Test("Without markers a picture ends where the next one begins", arguments: [PayloadFormat.vp8, .vp9, .h264])
    func noMarkers(format: PayloadFormat) {
        var sender = VideoTestSender(format)
        let buffer = VideoTestBuffer()
        var pictures: [AssembledVideoFrame] = []
        for index in 0..<10 {
            let now = frameTime(index)
            for var packet in sender.next(isKey: index == 0) {
                packet.info.marker = false
                buffer.insert(packet, at: now)
            }
            pictures += buffer.drain(at: now)
        }
        #expect(pictures.map(\.frame.data) == sender.pictures.dropLast().map(\.data))
    }

    @Test("Payloads larger than a slot, as on loopback")
    func largePayloads() {
        var sender = VideoTestSender(.vp8)
        sender.packetSize = 9_000
        sender.keyPictureSize = 60_000
        let buffer = VideoTestBuffer()
        var pictures: [AssembledVideoFrame] = []
        for index in 0..<10 {
            for packet in sender.next(isKey: index % 3 == 0).reversed() {
                buffer.insert(packet, at: frameTime(index))
            }
            pictures += buffer.drain(at: frameTime(index))
        }
        #expect(pictures.map(\.frame.data) == sender.pictures.map(\.data))
    }

    @Test("The rotation of a picture holds until another is said")
    func rotation() {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        var rotations: [VideoRotation] = []
        for index in 0..<6 {
            var packets = sender.next(isKey: index == 0)
            if index == 1 { packets[packets.count - 1].info.rotation = .clockwise90 }
            if index == 4 { packets[packets.count - 1].info.rotation = VideoRotation.none }
            for packet in packets { buffer.insert(packet, at: frameTime(index)) }
            rotations += buffer.drain(at: frameTime(index)).map(\.frame.rotation)
        }
        #expect(rotations == [.none, .clockwise90, .clockwise90, .clockwise90, .none, .none])
    }

    @Test("Spatial layers of VP9 make one picture, the lowest layer first")
    func spatialLayers() {
        let buffer = VideoTestBuffer()
        var number: Int64 = 100
        var pictures: [AssembledVideoFrame] = []
        for index in 0..<4 {
            for layer in UInt8(0)...2 {
                for part in 0..<2 {
                    // I, L, with B and E; P except in the first picture; D above the lowest layer
                    let flags: UInt8 = 0xA0 | (index > 0 ? 0x40 : 0) | (part == 0 ? 0x08 : 0x04)
                    let payload: [UInt8] = [flags, UInt8(index), layer << 1 | (layer > 0 ? 1 : 0), UInt8(index), layer]
                    let info = VideoPacketInfo(
                        format: .vp9, sequenceNumber: number, timestamp: RTPTimestamp(UInt32(index) * 3_000),
                        marker: layer == 2 && part == 1)
                    buffer.insert(VideoTestPacket(info: info, payload: payload, index: index), at: frameTime(index))
                    number += 1
                }
            }
            pictures += buffer.drain(at: frameTime(index))
        }
        #expect(pictures.map(\.frame.data) == Array(repeating: [0, 0, 1, 1, 2, 2], count: 4))
        #expect(pictures.map(\.frame.isKeyFrame) == [true, false, false, false])
    }

    @Test("A codec that changes in mid-stream begins with a key frame of its own")
    func formatChange() {
        let buffer = VideoTestBuffer()
        var first = VideoTestSender(.vp8)
        var second = VideoTestSender(.h264)
        var formats: [PayloadFormat] = []
        for index in 0..<5 {
            for packet in first.next(isKey: index == 0) { buffer.insert(packet, at: frameTime(index)) }
            formats += buffer.drain(at: frameTime(index)).map(\.frame.format)
        }
        second.nextSequenceNumber = first.nextSequenceNumber
        for _ in 0..<5 { _ = second.next(isKey: false) }
        second.nextSequenceNumber = first.nextSequenceNumber
        for index in 5..<10 {
            let now = frameTime(index)
            for packet in second.next(isKey: index == 7) { buffer.insert(packet, at: now) }
            formats += buffer.drain(at: now).map(\.frame.format)
            if index == 5 { #expect(buffer.pollKeyFrameRequest(at: now)) }
        }
        #expect(formats == Array(repeating: .vp8, count: 5) + Array(repeating: .h264, count: 3))
    }
}
