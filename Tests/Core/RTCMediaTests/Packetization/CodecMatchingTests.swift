import RTCMedia
import Testing

@Suite("Which codecs of an offer and an answer are the same")
struct CodecMatchingTests {
    static func h264(_ parameters: String) -> RTPCodec {
        RTPCodec(kind: .video, name: "H264", clockRate: 90_000, formatParameters: parameters)
    }

    @Test("Opus matches whatever its parameters are, and whatever the case of its name")
    func opus() {
        let mine = RTPCodec(
            kind: .audio, name: "opus", clockRate: 48_000, channels: 2, formatParameters: "minptime=10;useinbandfec=1")
        var theirs = RTPCodec(
            kind: .audio, name: "OPUS", clockRate: 48_000, channels: 2, formatParameters: "stereo=1;usedtx=1")
        #expect(mine.matches(theirs))
        // What each side can receive is its own to say (RFC 7587, section 7.1).
        #expect(mine.answer(to: theirs).formatParameters == "minptime=10;useinbandfec=1")
        theirs.clockRate = 16_000
        #expect(!mine.matches(theirs))
    }

    @Test("Names, kinds, clock rates and channels tell codecs apart")
    func different() {
        let pcmu = RTPCodec(kind: .audio, name: "PCMU", clockRate: 8_000)
        #expect(pcmu.matches(pcmu))
        #expect(!pcmu.matches(RTPCodec(kind: .audio, name: "PCMA", clockRate: 8_000)))
        #expect(!pcmu.matches(RTPCodec(kind: .audio, name: "PCMU", clockRate: 16_000)))
        #expect(!pcmu.matches(RTPCodec(kind: .audio, name: "PCMU", clockRate: 8_000, channels: 2)))
        let vp8 = RTPCodec(kind: .video, name: "VP8", clockRate: 90_000)
        #expect(vp8.matches(RTPCodec(kind: .video, name: "vp8", clockRate: 90_000, formatParameters: "max-fs=12288")))
        let rtx = RTPCodec(kind: .video, name: "rtx", clockRate: 90_000, formatParameters: "apt=96")
        #expect(rtx.matches(RTPCodec(kind: .video, name: "RTX", clockRate: 90_000, formatParameters: "apt=120")))
    }

    @Test("VP9 matches by profile, which is 0 when not said (RFC 9628, section 7.2)")
    func vp9() {
        func vp9(_ parameters: String) -> RTPCodec {
            RTPCodec(kind: .video, name: "VP9", clockRate: 90_000, formatParameters: parameters)
        }
        #expect(vp9("").matches(vp9("profile-id=0")))
        #expect(vp9("profile-id=2").matches(vp9("max-fr=30;profile-id=2")))
        #expect(!vp9("profile-id=2").matches(vp9("")))
        #expect(!vp9("profile-id=9").matches(vp9("profile-id=9")))
        #expect(vp9("profile-id=0").answer(to: vp9("profile-id=0;max-fr=30")).formatParameters == "profile-id=0")
    }

    @Test("H.264 matches by packetization mode and profile, not by level")
    func h264Matching() {
        let mine = Self.h264("packetization-mode=1;profile-level-id=42e01f")
        #expect(mine.matches(Self.h264("profile-level-id=42e034;packetization-mode=1")))
        // Constrained baseline, written in another way.
        #expect(mine.matches(Self.h264("profile-level-id=4d801f;packetization-mode=1")))
        #expect(!mine.matches(Self.h264("profile-level-id=42001f;packetization-mode=1")))
        #expect(!mine.matches(Self.h264("profile-level-id=640c1f;packetization-mode=1")))
        #expect(!mine.matches(Self.h264("profile-level-id=42e01f")))
        #expect(!mine.matches(Self.h264("profile-level-id=42e01f;packetization-mode=0")))
        #expect(!mine.matches(Self.h264("profile-level-id=42e01f;packetization-mode=two")))
        #expect(!mine.matches(Self.h264("profile-level-id=xyz;packetization-mode=1")))
        #expect(Self.h264("").matches(Self.h264("packetization-mode=0;profile-level-id=42e00d")))
    }

    @Test("Where both allow the levels to differ, an H.264 answer says our own (RFC 6184, section 8.2.2)")
    func asymmetricLevels() {
        let mine = Self.h264("level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f")
        let lower = Self.h264("level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e00d")
        #expect(mine.answer(to: lower).formatParameters == mine.formatParameters)
    }

    @Test(
        "Where one does not, an H.264 answer says the lower level",
        arguments: [
            ("42e00d", "packetization-mode=1;profile-level-id=42e00d"),
            ("42E00D", "packetization-mode=1;profile-level-id=42E00D"),
            ("42e034", "packetization-mode=1;profile-level-id=42e01f"),
            ("42e01f", "packetization-mode=1;profile-level-id=42e01f"),
            ("42f00b", "packetization-mode=1;profile-level-id=42f00b"),
        ])
    func lowerLevel(offered: String, expected: String) {
        let mine = Self.h264("level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f")
        let theirs = Self.h264("packetization-mode=1;profile-level-id=\(offered)")
        #expect(mine.matches(theirs))
        #expect(mine.answer(to: theirs).formatParameters == expected)
    }

    @Test("An answer's feedback is ours without what was not offered")
    func feedback() {
        var mine = RTPCodec(kind: .video, name: "VP8", clockRate: 90_000)
        mine.feedback = ["nack", "nack pli", "ccm fir", "transport-cc"]
        var theirs = mine
        theirs.feedback = ["goog-remb", "NACK", "nack pli"]
        #expect(mine.answer(to: theirs).feedback == ["nack", "nack pli"])
    }
}
