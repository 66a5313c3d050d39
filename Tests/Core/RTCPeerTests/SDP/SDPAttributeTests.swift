import RTCPeer
import RTCTransport
import Testing

@Suite("What attributes mean")
struct SDPAttributeTests {
    @Test("the transport of a section")
    func transport() throws {
        let level = try SDP(parsing: BrowserDescriptions.firefoxData).media[0].level
        #expect(level.iceUsernameFragment == "5cc0be73")
        #expect(level.icePassword == "6f8ea4eb2ae1ed4fa9bc42cbf3d0ae7b")
        #expect(level.setup == .actpass)
        #expect(level.candidates.count == 3)
        #expect(level.candidates[1] == "candidate:2 1 TCP 2105458943 192.0.2.9 9 typ host tcptype active")
        #expect(level.endOfCandidates)
        #expect(level.sctpPort == 5_000)
        #expect(level.maximumMessageSize == 1_073_741_823)
        #expect(level.fingerprints.isEmpty)
    }

    @Test("credentials with characters beyond RFC 8839, as some generate them")
    func lenientCredentials() throws {
        let text = BrowserDescriptions.chromeData.replacing("a=ice-ufrag:F7gI", with: "a=ice-ufrag:a-_=#")
        #expect(try SDP(parsing: text).media[0].level.iceUsernameFragment == "a-_=#")
    }

    @Test("several fingerprints, and one whose hash function is not known")
    func fingerprints() throws {
        let level = try SDP(parsing: BrowserDescriptions.aiortcData).media[0].level
        #expect(level.fingerprints.map(\.algorithm) == [.sha256, .sha384, .sha512])
        let text = BrowserDescriptions.chromeData.replacing("a=setup", with: "a=fingerprint:blake3 00:11\na=setup")
        #expect(try SDP(parsing: text).media[0].level.fingerprints.map(\.algorithm) == [.sha256])
        let lowercase = BrowserDescriptions.chromeData.replacing(
            BrowserDescriptions.digest, with: BrowserDescriptions.digest.lowercased())
        #expect(
            try SDP(parsing: lowercase).media[0].level.fingerprints
                == SDP(parsing: BrowserDescriptions.chromeData).media[0].level.fingerprints)
    }

    @Test("the session: groups, options, lite")
    func session() throws {
        let sdp = try SDP(parsing: BrowserDescriptions.chromeAudioVideoData)
        #expect(sdp.session.groups == [SDPGroup(semantics: "BUNDLE", mids: ["0", "1", "2"])])
        #expect(!sdp.session.isICELite)
        let lite = BrowserDescriptions.legacyData.replacing(
            "a=group", with: "a=ice-lite\na=ice-options:ice2 trickle\na=group")
        #expect(try SDP(parsing: lite).session.isICELite)
        #expect(try SDP(parsing: lite).session.iceOptions == ["ice2", "trickle"])
    }

    @Test("data channels as the drafts before RFC 8841 had them")
    func sctpMap() throws {
        let level = try SDP(parsing: BrowserDescriptions.legacyData).media[0].level
        #expect(level.sctpMaps == [SDPSCTPMap(port: 5_000, application: "webrtc-datachannel", streams: 1_024)])
        #expect(SDPSCTPMap(port: 5_001, application: "other", streams: 2).description == "5001 other 2")
        #expect(SDPSCTPMap(port: 5_000).description == "5000 webrtc-datachannel")
    }

    @Test("audio and video: codecs, feedback, extensions, sources, simulcast")
    func media() throws {
        let sdp = try SDP(parsing: BrowserDescriptions.chromeAudioVideoData)
        let audio = sdp.media[0].level
        #expect(
            audio.rtpMaps.first == SDPRTPMap(payloadType: 111, encodingName: "opus", clockRate: 48_000, channels: 2))
        #expect(audio.formatParameters.first?["UseInbandFEC"] == "1")
        #expect(audio.formatParameters.first?["stereo"] == nil)
        #expect(audio.isRTCPMultiplexed)
        #expect(audio.sources.count == 2)
        #expect(audio.mediaStreams == [SDPMediaStreamIdentifier(stream: "stream", track: "0f1e2d3c")])

        let video = sdp.media[1].level
        #expect(video.direction == .sendrecv)
        #expect(video.rtcpFeedback.contains(SDPRTCPFeedback(payloadType: 96, type: "nack", parameter: "pli")))
        #expect(video.rtcpFeedback.contains(SDPRTCPFeedback(payloadType: nil, type: "nack")))
        #expect(
            video.extensionMaps.last
                == SDPExtensionMap(id: 4, direction: .sendonly, uri: "urn:ietf:params:rtp-hdrext:sdes:mid"))
        #expect(video.sourceGroups == [SDPSourceGroup(semantics: "FID", ssrcs: [2_231_627_014, 632_943_048])])
        #expect(video.restrictions.map(\.id) == ["hi", "lo"])
        #expect(video.simulcast?.send == [[.init(id: "hi")], [.init(id: "lo", isPaused: true)]])
    }

    @Test(
        "a malformed media attribute is kept and disturbs nobody",
        arguments: [
            "rtpmap:128 x/1", "rtpmap:1 x", "rtpmap:1 x/y", "fmtp:111", "rtcp-fb:96", "rtcp-fb:200 nack", "extmap:0 u",
            "extmap:1/both u", "extmap:1", "ssrc:x cname:y", "ssrc:1", "ssrc-group:FID 1 x", "rid:a! send",
            "rid:a both",
            "simulcast:send", "simulcast:send a send b", "simulcast:send a;;b", "simulcast: send rid=a", "sctpmap:x y",
            "ptime:x", "maxptime", "msid:", "msid:a b c",
        ])
    func malformed(text: String) throws {
        let whole = BrowserDescriptions.chromeData.replacing("a=sctp-port", with: "a=\(text)\na=sctp-port")
        let sdp = try SDP(parsing: whole)
        #expect(sdp.media[0].level.all { if case .malformed = $0 { true } else { nil } }.count == 1)
        #expect(sdp.serialized == BrowserDescriptions.withCRLF(whole))
    }
}
