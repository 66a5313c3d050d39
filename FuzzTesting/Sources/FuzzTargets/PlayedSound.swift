import RTCMedia
import RTCPeer
import RTCWire

/// Takes what a peer receives of sound and plays it as a program would: jitter buffer, decoder, and 10 ms after another.
final class PlayedSound: AudioPacketSink {
    private var buffer = AudioJitterBuffer()
    private var samples = [Int16](repeating: 0, count: 2 * AudioJitterBuffer.maximumOutputSamples)
    private var known: Set<RTPPayloadType> = []
    private(set) var presentation: (timestamp: RTPTimestamp, time: Instant)?
    private var received: Int64 = 0

    /// A device that says something else each time, negative and endless times among it.
    var playoutDelay: TimeDelta { .milliseconds(received * 7_919 % 3_000 - 500) }

    func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) {
        received = (received + 1) % 1_000_000
        if known.insert(packet.codec.payloadType).inserted {
            buffer.setDecoder(
                BytesAsSound(), for: packet.codec.payloadType, clockRate: packet.codec.codec.clockRate)
        }
        buffer.insert(
            payload, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
            payloadType: packet.codec.payloadType, arrival: packet.arrival)
    }

    func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo) {
        buffer.insertCopy(
            payload, offset: copy.timestampOffset, place: copy.place, sequenceNumber: packet.sequenceNumber,
            timestamp: packet.timestamp, payloadType: packet.codec.payloadType, arrival: packet.arrival)
    }

    func reset() {
        buffer.reset()
        presentation = nil
    }

    func setExtraDelay(_ delay: TimeDelta) {
        precondition(delay >= .zero && delay <= .seconds(10), "sound is held back for \(delay)")
        buffer.extraDelay = delay
    }

    /// Plays up to `time`, but no more than a tenth of a second of it.
    func play(until time: Instant, from start: Instant) {
        for step in 0..<10 {
            let now = start + .milliseconds(Int64(step) * 10)
            guard now < time else { return }
            let output = samples.withUnsafeMutableBufferPointer { buffer.render(into: $0, at: now) }
            guard let output else { continue }
            precondition(output.sampleCount > 0 && output.sampleCount <= AudioJitterBuffer.maximumOutputSamples)
            if let timestamp = output.timestamp { presentation = (timestamp, now) }
        }
        precondition(buffer.level <= .seconds(30), "sound piles up: \(buffer.level)")
    }
}

/// Plays the bytes of a payload over and over, for as long as its first ones say.
final class BytesAsSound: AudioDecoder {
    let sampleRate = 48_000
    let channels = 1

    func duration(of payload: RawSpan) -> Int? {
        payload.byte(at: 0).map { [480, 960, 1_920, 2_880][Int($0 >> 3 & 3)] }
    }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard let count = duration(of: payload), count <= output.count else { return nil }
        for place in 0..<count {
            output[place] = Int16(payload.byte(at: place % payload.byteCount) ?? 0) << 6
        }
        return count
    }

    func carriesPreviousPacket(_ payload: RawSpan) -> Bool { (payload.byte(at: 1) ?? 0) & 0x40 != 0 }

    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        guard samples <= output.count else { return nil }
        for place in 0..<samples { output[place] = 1_000 }
        return samples
    }

    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? { nil }

    func reset() {}
}
