import Testing

/// Descriptions of the forms that other implementations send, with values made up. Lines end in LF here.
enum BrowserDescriptions {
    static let digest =
        "19:E2:1C:3B:4B:9F:81:E6:B8:5C:F4:A5:A8:D8:73:04:BB:05:2F:70:9F:04:A9:0E:05:E9:26:33:E8:70:88:A2"

    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
    }

    static let all = [
        Sample(testDescription: "Chrome, data", text: chromeData),
        Sample(testDescription: "audio and data, max-bundle", text: maxBundle),
        Sample(testDescription: "Chrome, audio, video, data", text: chromeAudioVideoData),
        Sample(testDescription: "Firefox, data", text: firefoxData),
        Sample(testDescription: "Firefox, audio, video, data", text: firefoxAudioVideoData),
        Sample(testDescription: "Safari, video and data", text: safariVideoData),
        Sample(testDescription: "aiortc, data", text: aiortcData),
        Sample(testDescription: "aiortc, answer", text: aiortcAnswer),
        Sample(testDescription: "before RFC 8841", text: legacyData),
    ]

    static let chromeData = """
        v=0
        o=- 4611731400430051336 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0
        a=extmap-allow-mixed
        a=msid-semantic: WMS
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=ice-ufrag:F7gI
        a=ice-pwd:x9cml/YzichV2+XlhiMu8gQ1
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:0
        a=sctp-port:5000
        a=max-message-size:262144

        """

    /// bundlePolicy "max-bundle" as RFC 9429 and Firefox write it: data without a transport of its own.
    static let maxBundle = """
        v=0
        o=- 8213123012301230123 3 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=extmap-allow-mixed
        a=msid-semantic: WMS 6f0c4a5e
        m=audio 51472 UDP/TLS/RTP/SAVPF 111 0
        c=IN IP4 192.0.2.7
        a=rtcp:9 IN IP4 0.0.0.0
        a=candidate:1876313031 1 udp 2122260223 192.0.2.7 51472 typ host generation 0 network-id 1
        a=ice-ufrag:mQ8t
        a=ice-pwd:0123456789abcdefghijklmn
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:0
        a=sendrecv
        a=msid:6f0c4a5e 11e1
        a=rtcp-mux
        a=rtpmap:111 opus/48000/2
        a=rtpmap:0 PCMU/8000
        m=application 0 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=bundle-only
        a=ice-ufrag:mQ8t
        a=ice-pwd:0123456789abcdefghijklmn
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:1
        a=sctp-port:5000
        a=max-message-size:262144

        """

    static let chromeAudioVideoData = """
        v=0
        o=- 2890844526190283742 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS stream
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=candidate:1 1 udp 2122260223 192.0.2.7 40000 typ host
        a=ice-ufrag:ETEn
        a=ice-pwd:OtSK0WpNtpUjkY4+86js7ZQl
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendrecv
        a=msid:stream 0f1e2d3c
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:13 CN/8000
        a=rtpmap:110 telephone-event/48000
        a=rtpmap:126 telephone-event/8000
        a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6
        a=ssrc:3570614608 msid:stream 0f1e2d3c
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 103
        c=IN IP4 0.0.0.0
        b=AS:2000
        a=rtcp:9 IN IP4 0.0.0.0
        a=candidate:1 1 udp 2122260223 192.0.2.7 40001 typ host
        a=ice-ufrag:ETEn
        a=ice-pwd:OtSK0WpNtpUjkY4+86js7ZQl
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:1
        a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
        a=extmap:4/sendonly urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendrecv
        a=msid:stream 4b5a6978
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:103 H264/90000
        a=rtcp-fb:* nack
        a=fmtp:103 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rid:hi send pt=96;max-width=1280
        a=rid:lo send
        a=simulcast:send hi;~lo
        a=ssrc-group:FID 2231627014 632943048
        a=ssrc:2231627014 cname:4TOk42mSjXCkVIa6
        a=ssrc:632943048 cname:4TOk42mSjXCkVIa6
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=candidate:1 1 udp 2122260223 192.0.2.7 40002 typ host
        a=ice-ufrag:ETEn
        a=ice-pwd:OtSK0WpNtpUjkY4+86js7ZQl
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144

        """

    static let firefoxData = """
        v=0
        o=mozilla...THIS_IS_SDPARTA-128.0 8391465741826712334 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=sendrecv
        a=fingerprint:sha-256 \(digest)
        a=group:BUNDLE 0
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=application 58712 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 192.0.2.9
        a=candidate:0 1 UDP 2122187007 2f4e1b0a-0b13-4e11-9e7f-0c0ffee00000.local 58712 typ host
        a=candidate:2 1 TCP 2105458943 192.0.2.9 9 typ host tcptype active
        a=candidate:1 1 UDP 1685987327 198.51.100.9 58712 typ srflx raddr 0.0.0.0 rport 0
        a=sendrecv
        a=end-of-candidates
        a=ice-pwd:6f8ea4eb2ae1ed4fa9bc42cbf3d0ae7b
        a=ice-ufrag:5cc0be73
        a=mid:0
        a=setup:actpass
        a=sctp-port:5000
        a=max-message-size:1073741823

        """

    static let firefoxAudioVideoData = """
        v=0
        o=mozilla...THIS_IS_SDPARTA-128.0 1215421545214152145 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=sendrecv
        a=fingerprint:sha-256 \(digest)
        a=group:BUNDLE 0 1 2
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
        c=IN IP4 0.0.0.0
        a=sendrecv
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
        a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
        a=fmtp:101 0-15
        a=ice-pwd:6f8ea4eb2ae1ed4fa9bc42cbf3d0ae7b
        a=ice-ufrag:5cc0be73
        a=mid:0
        a=msid:{53ac2c51-5b4e-4c7e-8ff7-2b8ae0c0e8d0} {0c4dc7ab-6bd2-4b6d-8a55-9dd1a1bd5a1f}
        a=rtcp-mux
        a=rtpmap:109 opus/48000/2
        a=rtpmap:9 G722/8000/1
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=rtpmap:101 telephone-event/8000
        a=setup:actpass
        a=ssrc:2655508255 cname:{735484ea-4f6c-f74a-bd66-7425f8476c2e}
        m=video 9 UDP/TLS/RTP/SAVPF 120 124
        c=IN IP4 0.0.0.0
        a=recvonly
        a=fmtp:120 max-fs=12288;max-fr=60
        a=fmtp:124 apt=120
        a=ice-pwd:6f8ea4eb2ae1ed4fa9bc42cbf3d0ae7b
        a=ice-ufrag:5cc0be73
        a=mid:1
        a=rtcp-fb:120 nack
        a=rtcp-fb:120 nack pli
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:120 VP8/90000
        a=rtpmap:124 rtx/90000
        a=setup:actpass
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=sendrecv
        a=ice-pwd:6f8ea4eb2ae1ed4fa9bc42cbf3d0ae7b
        a=ice-ufrag:5cc0be73
        a=mid:2
        a=setup:actpass
        a=sctp-port:5000
        a=max-message-size:1073741823

        """

    /// Safari writes what Chrome writes, but for the stream's name and the codecs.
    static let safariVideoData = """
        v=0
        o=- 5837264538271645382 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=extmap-allow-mixed
        a=msid-semantic: WMS 9D1F0C3A-0A57-4C6E-8A42-1B7E5E0E2F11
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:2b+/
        a=ice-pwd:QGFPZ8JzJZlTwXc9vXW2vFbM
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:0
        a=sendonly
        a=msid:9D1F0C3A-0A57-4C6E-8A42-1B7E5E0E2F11 C5A7C41B-7A52-4D7F-8F2C-9A5E2B7E1D33
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:96 H264/90000
        a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 H265/90000
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=ice-ufrag:2b+/
        a=ice-pwd:QGFPZ8JzJZlTwXc9vXW2vFbM
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:actpass
        a=mid:1
        a=sctp-port:5000
        a=max-message-size:262144

        """

    static let aiortcData = """
        v=0
        o=- 3925034812 3925034812 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=group:BUNDLE 0
        a=msid-semantic:WMS *
        m=application 47123 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 192.0.2.33
        a=mid:0
        a=sctp-port:5000
        a=max-message-size:65536
        a=candidate:1a02bbd2cb13d0cdbb3a0ef8ab9dd6a6 1 udp 2130706431 192.0.2.33 47123 typ host
        a=end-of-candidates
        a=ice-ufrag:pNmZ
        a=ice-pwd:gF5vBnsgkGQuwEtK2vPKh2
        a=fingerprint:sha-256 \(digest)
        a=fingerprint:sha-384 \(digest):\(digest.prefix(47))
        a=fingerprint:sha-512 \(digest):\(digest)
        a=setup:actpass

        """

    static let aiortcAnswer = aiortcData.replacing("a=setup:actpass", with: "a=setup:active")

    /// The form of the drafts before RFC 8841, which Firefox sent until version 62 and libnice-based servers after.
    static let legacyData = """
        v=0
        o=- 1 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE data
        a=fingerprint:sha-256 \(digest)
        a=ice-ufrag:abcdef
        a=ice-pwd:abcdefghijklmnopqrstuvwx
        a=setup:actpass
        m=application 9 DTLS/SCTP 5000
        c=IN IP4 0.0.0.0
        a=mid:data
        a=sctpmap:5000 webrtc-datachannel 1024

        """

    static func withCRLF(_ text: String) -> String { text.replacing("\n", with: "\r\n") }
}

extension String {
    /// Without the lines that begin so.
    func removingLines(_ prefix: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix(prefix) }.joined(
            separator: "\n")
    }
}
