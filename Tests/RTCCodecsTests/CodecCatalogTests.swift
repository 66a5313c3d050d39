import RTCCodecs
import RTCMedia
import Testing

@Suite("The codecs of this machine")
struct CodecCatalogTests {
    @Test("A codec that nobody knows is refused by name")
    func unknownCodec() {
        let codec = RTPCodec(kind: .video, name: "AV2", clockRate: 90_000)
        #expect(throws: CodecError(.unsupported, "there is no video codec called AV2")) {
            _ = try CodecCatalog.system.makeVideoDecoder(for: codec)
        }
    }
}
