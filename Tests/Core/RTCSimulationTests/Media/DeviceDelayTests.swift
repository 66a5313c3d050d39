import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// Lip sync as a person meets it: when sound is heard, after the device that plays it, and when its pictures are seen.
@Suite("Sound and picture together, whatever the loudspeaker takes")
struct DeviceDelayTests {
    /// A call in which bob sees and hears alice, through a loudspeaker.
    private struct Watching {
        let call: MediaCall
        let loudspeaker: Loudspeaker
        private let picture: TransceiverID
        /// The time that decoding a frame takes.
        var decoding = TimeDelta.zero
        private var seen = 0

        init(seed: UInt64, jitter: Int64, saysDelay: Bool = true) throws {
            let conditions = LinkConditions(
                delay: .milliseconds(20), jitter: .uniform(upTo: .milliseconds(jitter)))
            call = try MediaCall(seed: seed, conditions)
            #expect(call.run(for: .seconds(20)) { $0.areConnected })
            loudspeaker = Loudspeaker(saysDelay: saysDelay)
            let sound = try #require(call.receiver(of: call.microphones[0].transceiver, on: .alice))
            picture = try #require(call.receiver(of: call.cameras[0].transceiver, on: .alice))
            call.pair.with(.bob) { [loudspeaker] peer, _ in peer.setAudioSink(loudspeaker, of: sound) }
        }

        /// How much later than its sound each picture is shown that was released in `time`, in milliseconds.
        mutating func skews(in time: TimeDelta) -> [Int64] {
            let end = call.pair.now + time
            var skews: [Int64] = []
            while call.pair.now < end {
                call.run(for: .milliseconds(10))
                loudspeaker.play(at: call.pair.now)
                let pictures = call.pair.bob.pictures
                for released in pictures[seen...] where released.transceiver == picture {
                    call.pair.with(.bob) { [decoding, picture] peer, _ in peer.didDecode(in: decoding, of: picture) }
                    guard let heardAfter = loudspeaker.timeFromCapture(at: call.pair.now),
                        let mark = SyntheticVideo.mark(of: released.picture.frame)
                    else { continue }
                    let seenAfter = released.picture.renderTime - call.cameras[0].sent[mark.number - 1].time
                    skews.append((seenAfter - heardAfter).milliseconds)
                }
                seen = pictures.count
            }
            return skews
        }
    }

    @Test(
        "A device of any delay: within 45 ms",
        arguments: [0, 40, 150, 300] as [Int64], [(0, 0), (15, 0), (15, 90)] as [(jitter: Int64, decoding: Int64)])
    func steady(delay: Int64, path: (jitter: Int64, decoding: Int64)) throws {
        var watching = try Watching(seed: UInt64(delay) + 1, jitter: path.jitter)
        watching.decoding = .milliseconds(path.decoding)
        watching.loudspeaker.delay = .milliseconds(delay)
        _ = watching.skews(in: .seconds(8))
        let skews = watching.skews(in: .seconds(60))
        #expect(skews.count > 1_500)
        let largest = skews.map { abs($0) }.max() ?? .max
        if MediaReport.isWanted { print("device", delay, "path", path, "skew", skews.min() ?? 0, skews.max() ?? 0) }
        #expect(largest < 45, "\(skews.min() ?? 0) … \(skews.max() ?? 0) ms")
    }

    @Test(
        "A headset by radio that comes and goes: within 45 ms again three seconds later", arguments: [1, 2] as [UInt64])
    func changes(seed: UInt64) throws {
        var watching = try Watching(seed: seed, jitter: 10)
        watching.loudspeaker.delay = .milliseconds(40)
        _ = watching.skews(in: .seconds(8))
        for delay: Int64 in [220, 30, 300, 0, 150, 40] {
            watching.loudspeaker.delay = .milliseconds(delay)
            let during = watching.skews(in: .seconds(3))
            let after = watching.skews(in: .seconds(10))
            if MediaReport.isWanted {
                print("device", delay, "at first", during.min() ?? 0, during.max() ?? 0)
                print("then", after.min() ?? 0, after.max() ?? 0)
            }
            #expect(after.allSatisfy { abs($0) < 45 }, "\(delay): \(after.min() ?? 0) … \(after.max() ?? 0) ms")
            // The pictures do not stop meanwhile.
            #expect(during.count > 60)
        }
    }

    @Test("A device that says nothing is not made up for: the measure is one")
    func silentDevice() throws {
        var watching = try Watching(seed: 3, jitter: 0, saysDelay: false)
        watching.loudspeaker.delay = .milliseconds(150)
        _ = watching.skews(in: .seconds(8))
        let skews = watching.skews(in: .seconds(10))
        #expect(skews.count > 200 && skews.allSatisfy { (-200 ..< -100).contains($0) })
    }
}

/// Plays packets of sound by a jitter buffer and a device that takes a while.
private final class Loudspeaker: AudioPacketSink {
    /// From passing samples to the device until they are heard.
    var delay = TimeDelta.zero
    private let saysDelay: Bool
    private var buffer = AudioJitterBuffer()
    private var samples = [Int16](repeating: 0, count: 2 * AudioJitterBuffer.maximumOutputSamples)
    private var isKnown = false
    private var first = RTPTimestamp(0)
    private var ticks: Int64 = 0
    private(set) var presentation: (timestamp: RTPTimestamp, time: Instant)?
    /// From the capture of a packet to its arrival on a path without jitter, as by its timestamp.
    private var fastest: TimeDelta?

    init(saysDelay: Bool) { self.saysDelay = saysDelay }

    /// A device's delay is never still: its buffer fills and empties.
    var playoutDelay: TimeDelta { saysDelay ? delay + .milliseconds(ticks % 7 - 3) : .zero }

    func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) {
        if !isKnown { buffer.setDecoder(Silence(), for: packet.codec.payloadType, clockRate: 48_000) }
        if !isKnown { first = packet.timestamp }
        isKnown = true
        let lateness = packet.arrival - time(of: packet.timestamp)
        fastest = min(fastest ?? lateness, lateness)
        buffer.insert(
            payload, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
            payloadType: packet.codec.payloadType, arrival: packet.arrival)
    }

    func reset() { buffer.reset() }
    func setExtraDelay(_ delay: TimeDelta) { buffer.extraDelay = delay }

    func play(at now: Instant) {
        ticks += 1
        let output = samples.withUnsafeMutableBufferPointer { buffer.render(into: $0, at: now) }
        if let timestamp = output?.timestamp { presentation = (timestamp, now) }
    }

    /// From the capture of what is passed to the device last until it is heard; the fastest packet took 20 ms to arrive.
    func timeFromCapture(at now: Instant) -> TimeDelta? {
        guard let presentation, let fastest else { return nil }
        let captured = time(of: presentation.timestamp) + fastest - .milliseconds(20)
        return presentation.time + delay - captured
    }

    private func time(of timestamp: RTPTimestamp) -> Instant {
        Instant(nanoseconds: Int64(first.distance(to: timestamp)) * 1_000_000 / 48)
    }
}

/// 20 ms of silence for each packet.
private final class Silence: AudioDecoder {
    let sampleRate = 48_000
    let channels = 1

    func duration(of payload: RawSpan) -> Int? { 960 }

    func decode(_ payload: RawSpan, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        for index in 0..<960 { output[index] = 0 }
        return 960
    }

    func carriesPreviousPacket(_ payload: RawSpan) -> Bool { false }
    func recoverPacket(before next: RawSpan, samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? {
        nil
    }
    func conceal(samples: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int? { nil }
    func reset() {}
}
