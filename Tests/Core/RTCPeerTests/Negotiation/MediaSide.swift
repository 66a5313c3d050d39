import RTCMedia
import RTCPeer
import RTCWire
import Testing

/// What the sides of these tests can send and receive.
enum TestCodecs {
    static let opus = RTPCodec(
        kind: .audio, name: "opus", clockRate: 48_000, channels: 2, formatParameters: "minptime=10;useinbandfec=1",
        feedback: ["transport-cc"])
    static let pcmu = RTPCodec(kind: .audio, name: "PCMU", clockRate: 8_000)
    static let pcma = RTPCodec(kind: .audio, name: "PCMA", clockRate: 8_000)
    static let feedback = ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"]
    static let vp8 = RTPCodec(kind: .video, name: "VP8", clockRate: 90_000, feedback: feedback)
    static let vp9 = RTPCodec(
        kind: .video, name: "VP9", clockRate: 90_000, formatParameters: "profile-id=0", feedback: feedback)
    static let h264 = RTPCodec(
        kind: .video, name: "H264", clockRate: 90_000,
        formatParameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f", feedback: feedback)
    static let all = [opus, pcmu, pcma, vp8, vp9, h264]

    static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    static let sendTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    static let sequence = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    static let level = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    static let orientation = "urn:3gpp:video-orientation"
    static let extensions = [mid, sendTime, sequence, level, orientation]

    static let capabilities = MediaCapabilities(codecs: all, headerExtensions: extensions)
}

extension NegotiatingSide {
    /// A side with audio and video.
    static func media(
        seed: UInt64, codecs: [RTPCodec] = TestCodecs.all, extensions: [String] = TestCodecs.extensions
    ) throws -> NegotiatingSide {
        try NegotiatingSide(
            seed: seed,
            configuration: .init(
                media: MediaCapabilities(codecs: codecs, headerExtensions: extensions), cname: "side\(seed)"))
    }

    /// A track of ours, whose sources have numbers that begin with the side's.
    @discardableResult
    mutating func addTrack(_ kind: MediaKind, _ name: String = "track", stream: String = "stream") throws
        -> TransceiverID
    {
        let ssrc = UInt32(truncatingIfNeeded: random.next())
        return try negotiator.addTrack(
            kind,
            sender: MediaSender(
                streamIDs: [stream], trackID: name, ssrc: SynchronizationSource(ssrc),
                retransmissionSSRC: kind == .video ? SynchronizationSource(ssrc ^ 1) : nil))
    }

    func transceiver(_ index: Int) throws -> Transceiver {
        try #require(negotiator.transceivers.indices.contains(index) ? negotiator.transceivers[index] : nil)
    }

    func parameters(_ index: Int) throws -> MediaSectionParameters {
        try #require(transceiver(index).parameters)
    }

    /// Our description that is set, read again.
    func localSections() throws -> [SDPMediaSection] {
        try SDP(parsing: #require(negotiator.localDescription).sdp).media
    }
}

/// Two sides with a track of each kind from either, agreed upon in one exchange.
func callingSides() throws -> (NegotiatingSide, NegotiatingSide) {
    var caller = try NegotiatingSide.media(seed: 1)
    var callee = try NegotiatingSide.media(seed: 2)
    for kind in MediaKind.allCases {
        try caller.addTrack(kind, "caller-\(kind)")
        try callee.addTrack(kind, "callee-\(kind)")
    }
    try caller.exchange(with: &callee)
    return (caller, callee)
}

extension [MediaChange] {
    var parameters: [MediaSectionParameters] {
        compactMap { if case .parameters(let parameters) = $0 { parameters } else { nil } }
    }

    var tracks: [RemoteTrack] { compactMap { if case .remoteTrack(let track) = $0 { track } else { nil } } }

    var added: [Transceiver] {
        compactMap { if case .transceiverAdded(let transceiver) = $0 { transceiver } else { nil } }
    }
}

extension SDPMediaSection {
    /// The payload type of a codec.
    func number(_ name: String) -> UInt8? { level.rtpMaps.first { $0.encodingName == name }?.payloadType }

    func parameters(_ number: UInt8) -> String? {
        level.formatParameters.first { $0.format == String(number) }?.parameters
    }
}
