import RTCPeer
import Testing

/// Calls with audio and video as browsers and aiortc offer and answer them today.
enum BrowserMediaDescriptions {
    static let offers: [BrowserDescriptions.Sample] = [
        BrowserDescriptions.Sample(testDescription: "Chromium", text: chromium),
        BrowserDescriptions.Sample(testDescription: "Firefox", text: firefox),
        BrowserDescriptions.Sample(testDescription: "Safari", text: safari),
        BrowserDescriptions.Sample(testDescription: "aiortc", text: aiortc),
    ]

    private static let digest = BrowserDescriptions.digest

    private static func transport(setup: String = "actpass") -> String {
        """
        a=ice-ufrag:6Utv
        a=ice-pwd:Wx0ZWEVq3yhzEYzlc6nfmjrQ
        a=ice-options:trickle
        a=fingerprint:sha-256 \(digest)
        a=setup:\(setup)
        """
    }

    /// A codec of Chromium's or Safari's with its retransmission.
    private static func video(_ number: Int, _ name: String, _ parameters: String, rtx: Int) -> String {
        let feedback = ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"].map {
            "a=rtcp-fb:\(number) \($0)\n"
        }
        return "a=rtpmap:\(number) \(name)/90000\n" + feedback.joined()
            + (parameters.isEmpty ? "" : "a=fmtp:\(number) \(parameters)\n")
            + "a=rtpmap:\(rtx) rtx/90000\na=fmtp:\(rtx) apt=\(number)"
    }

    private static func h264(_ number: Int, mode: Int, _ profile: String, rtx: Int) -> String {
        video(
            number, "H264", "level-asymmetry-allowed=1;packetization-mode=\(mode);profile-level-id=\(profile)", rtx: rtx
        )
    }

    /// bundlePolicy "max-bundle"; that of "balanced" is the same.
    static let chromium = """
        v=0
        o=- 3862349896847213990 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS d3918c7d-34a0
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        \(transport())
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendrecv
        a=msid:d3918c7d-34a0 dbcd5846-9953
        a=rtcp-mux
        a=rtcp-rsize
        a=rtcp-xr:rcvr-rtt=all
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
        a=ssrc:871998230 cname:VECV/fdWhnrFME6s
        a=ssrc:871998230 msid:d3918c7d-34a0 dbcd5846-9953
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 104 107 108 109 114 115 116 117 39 40 45 46 98 99 100 101 118 119 120
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        \(transport())
        a=mid:1
        a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:13 urn:3gpp:video-orientation
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=sendrecv
        a=msid:d3918c7d-34a0 0e417171-5c93
        a=rtcp-mux
        a=rtcp-rsize
        a=rtcp-xr:rcvr-rtt=all
        \(video(96, "VP8", "", rtx: 97))
        \(h264(102, mode: 1, "42001f", rtx: 103))
        \(h264(104, mode: 0, "42001f", rtx: 107))
        \(h264(108, mode: 1, "42e01f", rtx: 109))
        \(h264(114, mode: 0, "42e01f", rtx: 115))
        \(h264(116, mode: 1, "4d001f", rtx: 117))
        \(h264(39, mode: 0, "4d001f", rtx: 40))
        \(video(45, "AV1", "level-idx=5;profile=0;tier=0", rtx: 46))
        \(video(98, "VP9", "profile-id=0", rtx: 99))
        \(video(100, "VP9", "profile-id=2", rtx: 101))
        a=rtpmap:118 red/90000
        a=rtpmap:119 rtx/90000
        a=fmtp:119 apt=118
        a=rtpmap:120 ulpfec/90000
        a=ssrc-group:FID 4002003265 2228568919
        a=ssrc:4002003265 cname:VECV/fdWhnrFME6s
        a=ssrc:4002003265 msid:d3918c7d-34a0 0e417171-5c93
        a=ssrc:2228568919 cname:VECV/fdWhnrFME6s
        a=ssrc:2228568919 msid:d3918c7d-34a0 0e417171-5c93
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        \(transport())
        a=mid:2
        a=sctp-port:5000
        a=max-message-size:262144

        """

    /// Its attributes are sorted, and the fingerprint stands before the sections.
    static let firefox = """
        v=0
        o=mozilla...THIS_IS_SDPARTA-140.0 4731982304712 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=sendrecv
        a=fingerprint:sha-256 \(digest)
        a=group:BUNDLE 0 1
        a=ice-options:trickle
        a=msid-semantic:WMS *
        m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
        c=IN IP4 0.0.0.0
        a=sendrecv
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
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
        a=rtpmap:101 telephone-event/8000/1
        a=setup:actpass
        a=ssrc:2655508255 cname:{735484ea-4f6c-f74a-bd66-7425f8476c2e}
        m=video 9 UDP/TLS/RTP/SAVPF 120 124 121 125 126 127 97 98 123 122 119
        c=IN IP4 0.0.0.0
        a=sendrecv
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:4 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:5 urn:ietf:params:rtp-hdrext:toffset
        a=extmap:6/recvonly http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
        a=extmap:7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1
        a=fmtp:97 profile-level-id=42e01f;level-asymmetry-allowed=1
        a=fmtp:120 max-fs=12288;max-fr=60
        a=fmtp:124 apt=120
        a=fmtp:121 max-fs=12288;max-fr=60
        a=fmtp:125 apt=121
        a=fmtp:127 apt=126
        a=fmtp:98 apt=97
        a=fmtp:119 apt=122
        a=ice-pwd:6f8ea4eb2ae1ed4fa9bc42cbf3d0ae7b
        a=ice-ufrag:5cc0be73
        a=mid:1
        a=msid:{53ac2c51-5b4e-4c7e-8ff7-2b8ae0c0e8d0} {71bb5d0c-8fb0-4f4b-9a1b-2e0c93a3a4a7}
        a=rtcp-fb:120 nack
        a=rtcp-fb:120 nack pli
        a=rtcp-fb:120 ccm fir
        a=rtcp-fb:120 goog-remb
        a=rtcp-fb:120 transport-cc
        a=rtcp-fb:121 nack
        a=rtcp-fb:121 nack pli
        a=rtcp-fb:126 nack
        a=rtcp-fb:97 nack
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:120 VP8/90000
        a=rtpmap:124 rtx/90000
        a=rtpmap:121 VP9/90000
        a=rtpmap:125 rtx/90000
        a=rtpmap:126 H264/90000
        a=rtpmap:127 rtx/90000
        a=rtpmap:97 H264/90000
        a=rtpmap:98 rtx/90000
        a=rtpmap:123 ulpfec/90000
        a=rtpmap:122 red/90000
        a=rtpmap:119 rtx/90000
        a=setup:actpass
        a=ssrc:1063478901 cname:{735484ea-4f6c-f74a-bd66-7425f8476c2e}
        a=ssrc:3478109634 cname:{735484ea-4f6c-f74a-bd66-7425f8476c2e}
        a=ssrc-group:FID 1063478901 3478109634

        """

    /// Video that is only received and H.264 before VP8, as a page for viewers makes it.
    static let safari = """
        v=0
        o=- 5837264538271645382 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=extmap-allow-mixed
        a=msid-semantic: WMS 9D1F0C3A
        m=audio 9 UDP/TLS/RTP/SAVPF 111 9 0 8
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        \(transport())
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=sendonly
        a=msid:9D1F0C3A C5A7C41B
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:9 G722/8000
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 104 105
        c=IN IP4 0.0.0.0
        b=AS:1500
        a=rtcp:9 IN IP4 0.0.0.0
        \(transport())
        a=mid:1
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:13 urn:3gpp:video-orientation
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=recvonly
        a=rtcp-mux
        a=rtcp-rsize
        \(h264(96, mode: 1, "640c1f", rtx: 97))
        \(h264(98, mode: 1, "42e01f", rtx: 99))
        \(video(100, "VP8", "", rtx: 101))
        \(video(104, "H265", "level-id=93;profile-id=1;tier-flag=0;tx-mode=SRST", rtx: 105))

        """

    private static func aiortc(setup: String, audio: String, video: String) -> String {
        let transport = """
            a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 43682 typ host
            a=end-of-candidates
            a=ice-ufrag:4DHj
            a=ice-pwd:ejkFyG6ygcggGfs5N4OJTJ
            a=fingerprint:sha-256 \(digest)
            a=setup:\(setup)
            """
        return """
            v=0
            o=- 4004290204 4004290204 IN IP4 0.0.0.0
            s=-
            t=0 0
            a=group:BUNDLE 0 1
            a=msid-semantic:WMS *
            \(audio)
            \(transport)
            \(video)
            \(transport)

            """
    }

    private static func aiortcVideo(_ number: Int, _ name: String, _ profile: String? = nil) -> String {
        let feedback = ["nack", "nack pli", "goog-remb"].map { "a=rtcp-fb:\(number) \($0)\n" }.joined()
        let parameters = profile.map {
            "a=fmtp:\(number) level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=\($0)\n"
        }
        return "a=rtpmap:\(number) \(name)/90000\n" + feedback + (parameters ?? "")
            + "a=rtpmap:\(number + 1) rtx/90000\na=fmtp:\(number + 1) apt=\(number)"
    }

    static let aiortc = aiortc(
        setup: "actpass",
        audio: """
            m=audio 43682 UDP/TLS/RTP/SAVPF 96 9 0 8
            c=IN IP4 192.0.2.2
            a=sendrecv
            a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
            a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
            a=mid:0
            a=msid:9ce7806b 961f8151
            a=rtcp:9 IN IP4 0.0.0.0
            a=rtcp-mux
            a=ssrc:2813448862 cname:36f05463
            a=rtpmap:96 opus/48000/2
            a=rtpmap:9 G722/8000
            a=rtpmap:0 PCMU/8000
            a=rtpmap:8 PCMA/8000
            """,
        video: """
            m=video 43682 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
            c=IN IP4 192.0.2.2
            a=sendrecv
            a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
            a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
            a=mid:1
            a=msid:9ce7806b adb730f1
            a=rtcp:9 IN IP4 0.0.0.0
            a=rtcp-mux
            a=ssrc-group:FID 1958863288 2928503061
            a=ssrc:1958863288 cname:36f05463
            a=ssrc:2928503061 cname:36f05463
            \(aiortcVideo(97, "VP8"))
            \(aiortcVideo(99, "H264", "42001f"))
            \(aiortcVideo(101, "H264", "42e01f"))
            """)

    /// aiortc's answer to the numbers that our first offer gives.
    static let aiortcAnswer = aiortc(
        setup: "active",
        audio: """
            m=audio 43682 UDP/TLS/RTP/SAVPF 111 0 8
            c=IN IP4 192.0.2.2
            a=sendrecv
            a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
            a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
            a=mid:0
            a=msid:9ce7806b 961f8151
            a=rtcp:9 IN IP4 0.0.0.0
            a=rtcp-mux
            a=ssrc:2813448862 cname:36f05463
            a=rtpmap:111 opus/48000/2
            a=rtpmap:0 PCMU/8000
            a=rtpmap:8 PCMA/8000
            """,
        video: """
            m=video 43682 UDP/TLS/RTP/SAVPF 96 97 100 101
            c=IN IP4 192.0.2.2
            a=sendrecv
            a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
            a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
            a=mid:1
            a=msid:9ce7806b adb730f1
            a=rtcp:9 IN IP4 0.0.0.0
            a=rtcp-mux
            a=ssrc-group:FID 1958863288 2928503061
            a=ssrc:1958863288 cname:36f05463
            a=ssrc:2928503061 cname:36f05463
            \(aiortcVideo(96, "VP8"))
            \(aiortcVideo(100, "H264", "42e01f"))
            """)
}
