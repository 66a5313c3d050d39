import RTCMedia
import RTCWire

/// Payloads as they come, in any order and with any timestamps, through a depacketizer and the jitter buffer behind it;
/// redundant audio likewise; or the parameters of an `a=fmtp` line.
func fuzzDepacketizer(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 6) {
    case 0: fuzzVideoStream(&input, .vp8)
    case 1: fuzzVideoStream(&input, .vp9)
    case 2: fuzzVideoStream(&input, .h264)
    case 4: fuzzFormatParameters(input.text(), input.text())
    default: fuzzRedundantAudio(&input)
    }
}

private func fuzzRedundantAudio(_ input: inout FuzzInput) {
    let (type, own) = (RTPPayloadType(63), RTPPayloadType(111))
    var buffer = AudioJitterBuffer()
    buffer.setDecoder(BytesAsSound(), for: own, clockRate: 48_000)
    var samples = [Int16](repeating: 0, count: 2 * AudioJitterBuffer.maximumOutputSamples)
    var (number, timestamp, now) = (Int64(70_000), UInt32(0), Instant.zero)
    while !input.isEmpty {
        let choices = input.byte()
        number += choices & 0x01 == 0 ? 1 : Int64(input.byte() % 16) - 4
        timestamp &+= choices & 0x02 == 0 ? 960 : UInt32(input.byte()) << 8
        if choices & 0x04 != 0 { now = now + .milliseconds(Int64(input.byte())) }
        var payload = input.chunk(limit: choices & 0x08 != 0 ? 2_000 : 40)
        if choices & 0x10 != 0 { payload = wellFormedRedundancy(payload, own) }
        payload.withUnsafeBytes { bytes in
            let payload = RawSpan(_unsafeBytes: bytes)
            guard var redundant = REDPayload(payload, type: type) else { return }
            var end = 0
            let whole = redundant.own.range
            precondition(whole.upperBound == bytes.count, "bytes that belong to no block")
            buffer.insert(
                payload.extracting(unchecked: whole), sequenceNumber: number, timestamp: RTPTimestamp(timestamp),
                payloadType: redundant.own.payloadType, arrival: now)
            var place = redundant.copyCount
            while let copy = redundant.nextCopy(in: payload) {
                precondition(
                    copy.range.lowerBound >= end && copy.range.upperBound <= whole.lowerBound, "overlapping blocks")
                precondition(copy.timestampOffset <= REDPayload.maximumOffset && place > 0)
                end = copy.range.upperBound
                buffer.insertCopy(
                    payload.extracting(unchecked: copy.range), offset: copy.timestampOffset, place: place,
                    sequenceNumber: number, timestamp: RTPTimestamp(timestamp), payloadType: copy.payloadType,
                    arrival: now)
                place -= 1
            }
            precondition(
                place == 0 && (end == whole.lowerBound || redundant.copyCount == 0), "copies that were left out")
        }
        for _ in 0..<Int(choices >> 5) {
            let output = samples.withUnsafeMutableBufferPointer { buffer.render(into: $0, at: now) }
            if let output { precondition(output.sampleCount <= AudioJitterBuffer.maximumOutputSamples) }
            now = now + .milliseconds(10)
        }
        let counts = buffer.statistics
        precondition(counts.fecPacketsDiscarded <= counts.fecPacketsReceived, "more copies discarded than came")
        precondition(buffer.level <= .seconds(30), "sound piles up: \(buffer.level)")
    }
}

/// The bytes as a frame, and parts of them as copies of earlier ones.
private func wellFormedRedundancy(_ bytes: [UInt8], _ type: RTPPayloadType) -> [UInt8] {
    let copies = (1...2).reversed().compactMap { distance in
        REDPayload.Copy(timestampOffset: UInt32(distance) * 960, data: Array(bytes.prefix(20 * distance)))
    }
    var memory = [UInt8](repeating: 0, count: REDPayload.overhead(of: copies) + bytes.count)
    memory.withUnsafeMutableBytes { memory in
        var writer = ByteWriter(memory)
        bytes.withUnsafeBytes { REDPayload.write($0, type: type, copies: copies, to: &writer) }
        precondition(!writer.overflowed && writer.count == memory.count, "another size than was said")
    }
    return memory
}

private func fuzzVideoStream(_ input: inout FuzzInput, _ format: PayloadFormat) {
    var buffer = VideoJitterBuffer()
    var packetizer = VideoPacketizer(format: format, parameters: FormatParameters("packetization-mode=1"))
    var number: Int64 = 65_536
    var timestamp: UInt32 = 0
    var now = Instant.zero
    var stored = 0
    var shown = 0
    while !input.isEmpty {
        let choices = input.byte()
        switch choices & 0x03 {
        case 0, 1: number += 1
        case 2: number += Int64(input.number(below: 8)) - 4
        default: number += (Int64(input.byte()) - 128) * Int64(input.byte())
        }
        if choices & 0x04 != 0 { timestamp &+= 3_000 }
        if choices & 0x80 != 0 { timestamp &+= UInt32(input.byte()) << 24 }
        if choices & 0x40 != 0 { now = now + .milliseconds(Int64(input.byte())) }
        var payload = input.chunk(limit: choices & 0x20 != 0 ? 2_000 : 40)
        if choices & 0x10 != 0, !payload.isEmpty {
            payload = wellFormed(payload, isKeyFrame: payload[0] & 1 == 0, format, &packetizer)
        }
        let info = VideoPacketInfo(
            format: format, sequenceNumber: max(number, 0), timestamp: RTPTimestamp(timestamp),
            marker: choices & 0x08 != 0, isRetransmission: choices & 0x02 != 0)
        stored += payload.count
        payload.withUnsafeBytes { _ = buffer.insert(RawSpan(_unsafeBytes: $0), info, arrival: now) }
        while let picture = buffer.poll(at: now) {
            precondition(picture.renderTime >= now, "a picture for the past")
            precondition(picture.renderTime - now <= .seconds(10), "a picture held for ever")
            precondition(picture.firstSequenceNumber <= picture.lastSequenceNumber, "a picture without packets")
            // A start code or a header may be added per unit, and parameter sets per picture.
            shown += picture.frame.data.count
            precondition(picture.frame.data.count <= 4 * stored + 8_192, "a picture out of nothing")
        }
        _ = buffer.pollKeyFrameRequest(at: now)
        if let deadline = buffer.nextDeadline {
            precondition(deadline - now <= .seconds(11), "a deadline that never comes")
        }
    }
    precondition(shown == 0 || buffer.statistics.jitterBufferEmittedCount > 0, "pictures that were not counted")
}

/// The first payload of a frame with these bytes.
private func wellFormed(
    _ data: [UInt8], isKeyFrame: Bool, _ format: PayloadFormat, _ packetizer: inout VideoPacketizer?
) -> [UInt8] {
    let prefix: [UInt8] = format == .h264 ? [0, 0, 0, 1] : []
    packetizer?.begin(
        EncodedVideoFrame(format: format, data: prefix + data, isKeyFrame: isKeyFrame, timestamp: RTPTimestamp(0)),
        maximumPayloadSize: 1_200)
    var memory = [UInt8](repeating: 0, count: 1_200)
    let part = memory.withUnsafeMutableBytes { packetizer?.next(into: $0) }
    return Array(memory.prefix(part?.count ?? 0))
}

private func fuzzFormatParameters(_ first: String, _ second: String) {
    let parameters = FormatParameters(first)
    precondition(FormatParameters(parameters.description) == parameters, "means something else: \(parameters)")
    if let level = parameters.profileLevel {
        precondition(H264ProfileLevel(level.description) == level, "means something else: \(level)")
    }
    for name in ["H264", "VP9", "opus"] {
        let kind = name == "opus" ? MediaKind.audio : .video
        let mine = RTPCodec(kind: kind, name: name, clockRate: 90_000, formatParameters: first)
        let theirs = RTPCodec(kind: kind, name: name, clockRate: 90_000, formatParameters: second)
        precondition(mine.matches(theirs) == theirs.matches(mine), "matches one way only")
        guard mine.matches(theirs) else { continue }
        let answer = mine.answer(to: theirs)
        precondition(answer.matches(theirs), "an answer that does not match: \(answer.formatParameters)")
    }
    _ = VideoJitterBuffer(parameters: parameters)
}
