import RTCMedia

extension CodecCatalog {
    /// The codecs that browsers offer, in the order preferred for calls: VP8 is first for video, since every endpoint
    /// supports it and it is the cheapest to encode well in software.
    static let known: [(name: String, variants: [RTPCodec])] = [
        (
            "opus",
            [
                RTPCodec(
                    kind: .audio, name: "opus", clockRate: 48_000, channels: 2,
                    formatParameters: "minptime=10;useinbandfec=1", feedback: ["transport-cc"])
            ]
        ),
        ("PCMU", [RTPCodec(kind: .audio, name: "PCMU", clockRate: 8_000)]),
        ("PCMA", [RTPCodec(kind: .audio, name: "PCMA", clockRate: 8_000)]),
        ("VP8", [video("VP8")]),
        ("VP9", [video("VP9", "profile-id=0")]),
        (
            "H264",
            [
                video("H264", "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"),
                video("H264", "level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f"),
            ]
        ),
    ]

    private static func video(_ name: String, _ formatParameters: String = "") -> RTPCodec {
        RTPCodec(
            kind: .video, name: name, clockRate: 90_000, formatParameters: formatParameters,
            feedback: ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
    }
}

extension RTPCodec {
    /// The same codec for a decoder that cannot use in-band FEC: a peer that reads it spends no bits on copies (RFC 7587,
    /// section 6.1).
    var withoutInbandFEC: RTPCodec {
        var codec = self
        codec.formatParameters = formatParameters.split(separator: ";").filter { $0 != "useinbandfec=1" }
            .joined(separator: ";")
        return codec
    }
}
