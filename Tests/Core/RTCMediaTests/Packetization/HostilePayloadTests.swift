import RTCMedia
import RTCWire
import Testing

@Suite("Payloads from a hostile peer")
struct HostilePayloadTests {
    @Test(
        "Random bytes are noise or a descriptor within their bounds, and never trap",
        arguments: PayloadFormat.allCases)
    func randomBytes(format: PayloadFormat) {
        let random = SeededRandom(seed: 99)
        for _ in 0..<20_000 {
            let payload = random.bytes(Int(random.next(below: 40)))
            guard let descriptor = videoDescriptor(payload, format) else { continue }
            #expect(descriptor.bytes.lowerBound >= 0)
            #expect(descriptor.bytes.upperBound <= payload.count)
            #expect(!descriptor.bytes.isEmpty)
            #expect(depacketized([payload], format)?.isEmpty == false)
        }
    }

    @Test("All bits set, at every length", arguments: [PayloadFormat.vp8, .vp9, .h264])
    func allBitsSet(format: PayloadFormat) {
        for count in 0..<300 { _ = depacketized([[UInt8](repeating: 0xFF, count: count)], format) }
    }

    @Test("A descriptor of another payload writes nothing out of bounds")
    func foreignDescriptor() {
        var frame: [UInt8] = []
        let short: [UInt8] = [1, 2, 3]
        for packaging in [
            VideoPayloadDescriptor.Packaging.plain, .unit, .aggregate, .fragment, .firstFragment(header: 1),
        ] {
            var descriptor = VideoPayloadDescriptor(bytes: 2..<400)
            descriptor.packaging = packaging
            short.withUnsafeBytes { VideoDepacketizer.append(RawSpan(_unsafeBytes: $0), descriptor, to: &frame) }
        }
        #expect(frame.isEmpty)
    }
}
