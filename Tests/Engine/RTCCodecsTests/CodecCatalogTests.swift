import RTCFrames
import RTCMedia
import RTCWire
import Testing

@testable import RTCCodecs

@Suite("The codecs of this machine")
struct CodecCatalogTests {
    #if os(Linux)
        @Test("All of them are there, in the order of preference")
        func order() {
            let catalog = CodecCatalog.system
            #expect(catalog.missing.isEmpty)
            #expect(catalog.codecs(of: .audio).map(\.name) == ["opus", "PCMU", "PCMA"])
            #expect(catalog.codecs(of: .video).map(\.name) == ["VP8", "VP9", "H264", "H264"])
            #expect(
                catalog.codecs(of: .video)[0].feedback == ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
            #expect(catalog.codecs(of: .audio)[0].formatParameters == "minptime=10;useinbandfec=1")
            #expect(catalog.codecs.first { $0.codec.name == "VP9" }?.implementation == "libvpx")
        }

        @Test("A library that is not there leaves its codecs out, and says so; the others stay")
        func missingLibrary() throws {
            let catalog = CodecCatalog(PlatformCodecs(vpxNames: ["libno-such-thing.so.1", "libnor-this.so"]))
            #expect(catalog.codecs(of: .video).map(\.name) == ["H264", "H264"])
            #expect(catalog.codecs(of: .audio).count == 3)
            #expect(catalog.missing.map(\.name) == ["VP8", "VP9"])
            let reason = try #require(catalog.missing.first?.reason)
            #expect(reason.hasPrefix("libvpx cannot be loaded: libno-such-thing.so.1"))
            #expect(throws: CodecError(.unavailable, reason)) {
                _ = try catalog.makeVideoDecoder(for: Codecs.named("VP8"))
            }
        }

        @Test("A library of that name which is another one is not taken for it")
        func wrongLibrary() {
            let catalog = CodecCatalog(
                PlatformCodecs(
                    opus: OpusLibrary(names: ["libvpx.so.7"]), vpxNames: ["libopus.so.0"],
                    openH264Names: ["libc.so.6"]))
            #expect(catalog.codecs.map(\.codec.name) == ["PCMU", "PCMA"])
            #expect(catalog.missing.map(\.reason).allSatisfy { $0.contains(" has no ") })
        }
    #endif

    @Test("A decoder that cannot use the copies of Opus does not ask for them")
    func withoutCopies() throws {
        let opus = try Codecs.named("opus")
        #expect(opus.formatParameters == "minptime=10;useinbandfec=1")
        #expect(opus.withoutInbandFEC.formatParameters == "minptime=10")
        #expect(opus.withoutInbandFEC.withoutInbandFEC == opus.withoutInbandFEC)
    }

    @Test("A codec that nobody knows is refused by name")
    func unknownCodec() {
        let codec = RTPCodec(kind: .video, name: "AV2", clockRate: 90_000)
        #expect(throws: CodecError(.unsupported, "there is no video codec called AV2")) {
            _ = try CodecCatalog.system.makeVideoDecoder(for: codec)
        }
        #expect(throws: CodecError(.unsupported, "there is no audio codec called VP8")) {
            _ = try CodecCatalog.system.makeAudioDecoder(for: try Codecs.named("VP8"))
        }
    }

    @Test("H.264's parameters are read as RFC 6184 defines them")
    func h264Parameters() {
        func read(_ text: String) -> H264Parameters { H264Parameters(FormatParameters(text)) }
        #expect(read("packetization-mode=1; profile-level-id=42e01f").level == 31)
        #expect(read("packetization-mode=1; profile-level-id=42e01f").packetizationMode == 1)
        #expect(read("profile-level-id=42E028").maxMacroblocks == 8_192)
        #expect(read("profile-level-id=42f00b").maxMacroblocks == 99)
        #expect(read("profile-level-id=nonsense;;=;x").packetizationMode == 0)
        #expect(read("level-asymmetry-allowed=1").level == 10)
    }
}
