import RTCMedia
import RTCWire
import Testing

@Suite("Sound of a clock that is not ours")
struct AudioDriftTests {
    @Test(
        "±200 ppm for an hour: no click, next to nothing made up, and no delay that grows",
        arguments: [-200, 200] as [Int64])
    func drift(partsPerMillion: Int64) {
        var stream = AudioTestStream(decoder: ToneDecoder(sampleRate: 8_000, frequency: 400))
        var step = 0
        var highest = 0.0
        for minute in 0..<60 as Range<UInt32> {
            for index in (minute * 3_000)..<((minute + 1) * 3_000) {
                stream.send(index, delay: .milliseconds(805) + .nanoseconds(Int64(index) * 20 * partsPerMillion))
            }
            stream.play(until: .seconds(60 * Int64(minute + 1)))
            step = max(step, stream.largestStep())
            if minute > 0 { highest = max(highest, stream.levels.max() ?? 0) }
            stream.played.removeAll()
            stream.levels.removeAll()
            stream.real.removeAll()
            stream.timestamps.removeAll()
            stream.decoder.decodedPackets.removeAll()
        }
        // A tone of 400 Hz steps by 2,500 at 8 kHz.
        #expect(step < 2_700, "\(step)")
        #expect(highest < 80, "\(highest)")
        #expect(stream.buffer.statistics.concealedSamples < 8_000, "\(stream.buffer.statistics.concealedSamples)")
    }
}
