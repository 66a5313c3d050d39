import RTCPeer
import Testing

private let everything =
    BrowserDescriptions.all + BrowserMediaDescriptions.offers
    + [BrowserDescriptions.Sample(testDescription: "aiortc's answer", text: BrowserMediaDescriptions.aiortcAnswer)]

@Suite("Descriptions are written as they were read")
struct SDPRoundTripTests {
    @Test("what others send comes out byte for byte", arguments: everything)
    func samples(sample: BrowserDescriptions.Sample) throws {
        let text = sample.text
        let crlf = BrowserDescriptions.withCRLF(text)
        #expect(try SDP(parsing: crlf).serialized == crlf)
        // Lines that end in LF alone are read the same and written as the standard wants them.
        #expect(try SDP(parsing: text).serialized == crlf)
        #expect(try SDP(parsing: text) == SDP(parsing: crlf))
    }

    @Test("nothing that the engine knows is malformed in them", arguments: everything)
    func nothingIsMalformed(sample: BrowserDescriptions.Sample) throws {
        let sdp = try SDP(parsing: sample.text)
        for level in [sdp.session] + sdp.media.map(\.level) {
            #expect(level.all { if case .malformed = $0 { true } else { nil } }.isEmpty)
        }
    }

    @Test("unknown attributes and fields keep their places")
    func unknownLines() throws {
        let text = """
            v=0
            o=alice 18446744073709551616 00 IN IP6 2001:db8::1
            s=A call, with words: ünïcode
            i=what it is about
            u=http://example.com/
            e=alice@example.com
            p=+1 555 0100
            c=IN IP6 2001:db8::1
            b=AS:500
            t=0 0
            r=7d 1h 0 25h
            z=2882844526 -1h
            a=x-session-flag
            a=x-session: value with  two spaces
            a=group:LS a b
            m=audio 49170/2 RTP/AVP 0
            i=a title
            a=x-first:1
            k=prompt
            a=mid:a
            a=x-second
            b=TIAS:96000
            a=x-third::colons:
            m=text 0 x/y/z fmt-a fmt-b
            a=mid:b

            """
        let crlf = BrowserDescriptions.withCRLF(text)
        #expect(try SDP(parsing: text).serialized == crlf)
    }

    @Test("what the engine makes itself, it reads back as the same value")
    func contents() throws {
        let fingerprint = try #require(
            try SDP(parsing: BrowserDescriptions.chromeData).media[0].level.fingerprints.first)
        let contents: [SDPAttribute.Content] = [
            .group(SDPGroup(mids: ["0", "a"])), .mid("0"), .bundleOnly, .extensionMapAllowMixed,
            .iceUsernameFragment("abcd"), .icePassword("0123456789012345678901"), .iceOptions(["trickle", "ice2"]),
            .iceLite, .candidate("candidate:1 1 udp 1 192.0.2.1 1 typ host"), .endOfCandidates,
            .fingerprint(fingerprint), .setup(.active), .tlsID("abcdefghijabcdefghij"), .rtcpMux, .rtcpMuxOnly,
            .rtcpReducedSize, .sctpPort(5000), .maximumMessageSize(0), .sctpMap(SDPSCTPMap(port: 5000, streams: 16)),
            .direction(.recvonly),
            .rtpMap(SDPRTPMap(payloadType: 111, encodingName: "opus", clockRate: 48_000, channels: 2)),
            .formatParameters(SDPFormatParameters(format: "111", parameters: "minptime=10;useinbandfec=1")),
            .rtcpFeedback(SDPRTCPFeedback(payloadType: nil, type: "ccm", parameter: "fir")),
            .extensionMap(SDPExtensionMap(id: 4, direction: .sendonly, uri: "urn:x", attributes: "y z")),
            .msid(SDPMediaStreamIdentifier(stream: "-", track: "t")),
            .source(SDPSource(ssrc: 1, attribute: "cname", value: "x:y")),
            .sourceGroup(SDPSourceGroup(semantics: "FID", ssrcs: [1, 2])),
            .restriction(SDPRestriction(id: "hi", direction: .send, restrictions: "pt=96")),
            .simulcast(
                SDPSimulcast(send: [[.init(id: "1"), .init(id: "2", isPaused: true)]], receive: [[.init(id: "3")]])),
            .packetTime(20), .maximumPacketTime(60),
        ]
        var level = SDPLevel()
        for content in contents { level.append(content) }
        let section = SDPMediaSection(
            kind: "audio", port: 9, protocolName: "UDP/TLS/RTP/SAVPF", formats: ["0"], level: level)
        let sdp = SDP(origin: SDPOrigin(sessionID: 1, sessionVersion: 0), media: [section])
        let parsed = try SDP(parsing: sdp.serialized)
        #expect(parsed == sdp)
        #expect(parsed.media[0].level.attributes.map(\.content) == contents)
    }
}
