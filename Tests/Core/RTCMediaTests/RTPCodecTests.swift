import RTCMedia
import Testing

@Suite("Codecs as descriptions name them")
struct RTPCodecTests {
    @Test("The case of an encoding name does not matter")
    func caseInsensitiveNames() {
        let codec = RTPCodec(kind: .audio, name: "OPUS", clockRate: 48_000, channels: 2)
        #expect(codec.format == .opus)
        #expect(codec.mimeType == "audio/OPUS")
        #expect(PayloadFormat(encodingName: "h264")?.kind == .video)
        #expect(PayloadFormat(encodingName: "flexfec-03") == nil)
    }
}
