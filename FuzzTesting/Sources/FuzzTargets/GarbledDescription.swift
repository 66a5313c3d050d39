import RTCPeer

/// What somebody said, changed: its lines moved about, or some of its bytes.
func garbled(_ signal: Signal, _ input: inout FuzzInput) -> Signal {
    switch signal {
    case .description(var description):
        if input.byte() & 3 == 0 {
            description.sdp = String(decoding: input.mutate(Array(description.sdp.utf8)), as: UTF8.self)
        } else {
            description.sdp = garbledLines(description.sdp, &input)
        }
        return .description(description)
    case .candidate(var candidate):
        candidate.candidate = String(decoding: input.mutate(Array(candidate.candidate.utf8)), as: UTF8.self)
        return .candidate(candidate)
    }
}

/// A description whose lines are left out, repeated, exchanged, replaced, or say another number: most are still descriptions.
func garbledLines(_ sdp: String, _ input: inout FuzzInput) -> String {
    var lines = sdp.split(separator: "\r\n").map(String.init)
    for _ in 0...input.number(below: 4) where !lines.isEmpty {
        let (choice, first, second) = (input.byte(), Int(input.byte()), Int(input.byte()))
        let (from, to) = (first % lines.count, second % lines.count)
        switch choice % 8 {
        case 0: lines.remove(at: from)
        case 1: lines.insert(lines[from], at: to)
        case 2: lines.swapAt(from, to)
        case 3: lines[from] = otherLines[second % otherLines.count]
        case 4: lines.insert(otherLines[second % otherLines.count], at: from)
        case 5: lines[from] = withOtherNumber(lines[from], which: Int(choice >> 3), number: second)
        case 6: lines += section(at: from, of: lines)
        default:
            let section = section(at: from, of: lines)
            if section.count < lines.count, let start = lines.firstIndex(of: section[0]) {
                lines.removeSubrange(start..<min(start + section.count, lines.count))
            }
        }
    }
    return lines.map { $0 + "\r\n" }.joined()
}

/// The section that a line belongs to: from its `m=` to before the next one.
private func section(at index: Int, of lines: [String]) -> [String] {
    guard let start = lines[...index].lastIndex(where: { $0.hasPrefix("m=") }) else { return [lines[index]] }
    let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("m=") } ?? lines.count
    return Array(lines[start..<end])
}

/// A line in which one of the numbers is another one.
private func withOtherNumber(_ line: String, which: Int, number: Int) -> String {
    var parts: [String] = []
    var places: [Int] = []
    for character in line {
        if character.isWholeNumber == parts.last?.last?.isWholeNumber {
            parts[parts.count - 1].append(character)
        } else {
            if character.isWholeNumber { places.append(parts.count) }
            parts.append(String(character))
        }
    }
    guard !places.isEmpty else { return line }
    parts[places[which % places.count]] = otherNumbers[number % otherNumbers.count]
    return parts.joined()
}

private let otherNumbers = """
    0 1 2 9 13 35 63 96 97 98 127 128 255 256 8000 65535 65536 90000 2147483648 4294967295 4294967296
    18446744073709551615 18446744073709551616
    """.split { $0 == " " || $0 == "\n" }.map(String.init)

private let otherLines = """
    m=audio 9 UDP/TLS/RTP/SAVPF 96 97 0 8
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 127
    m=video 0 UDP/TLS/RTP/SAVPF 96
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    m=audio 9 RTP/AVP 0
    m=text 9 UDP/TLS/RTP/SAVPF 96
    a=mid:0
    a=mid:1
    a=mid:x
    a=group:BUNDLE 0 1 2
    a=group:BUNDLE 0
    a=group:BUNDLE
    a=group:LS 0 1
    a=sendrecv
    a=sendonly
    a=recvonly
    a=inactive
    a=rtcp-mux
    a=rtcp-mux-only
    a=rtcp-rsize
    a=bundle-only
    a=setup:active
    a=setup:passive
    a=setup:actpass
    a=setup:holdconn
    a=ice-lite
    a=ice-ufrag:abcd
    a=ice-pwd:0123456789abcdefghijkl
    a=ice-options:trickle
    a=end-of-candidates
    a=candidate:1 1 udp 2130706431 10.0.0.9 9 typ host
    a=candidate:2 1 tcp 1 10.0.0.9 9 typ host tcptype active
    a=rtpmap:96 VP8/90000
    a=rtpmap:97 rtx/90000
    a=rtpmap:98 H264/90000
    a=rtpmap:96 opus/48000/2
    a=rtpmap:127 VP9/90000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:96 telephone-event/8000
    a=fmtp:97 apt=96
    a=fmtp:96 apt=96
    a=fmtp:97 apt=300
    a=fmtp:98 packetization-mode=1;profile-level-id=42e01f
    a=fmtp:98 profile-level-id=zzzzzz
    a=fmtp:96 useinbandfec=1;minptime=
    a=rtcp-fb:96 nack
    a=rtcp-fb:* nack pli
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 ccm fir
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:255 urn:3gpp:video-orientation
    a=extmap:15 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap-allow-mixed
    a=ssrc:1 cname:c
    a=ssrc:2 cname:c
    a=ssrc:1 msid:s t
    a=ssrc-group:FID 1 2
    a=ssrc-group:FID 1 1
    a=ssrc-group:FID 1
    a=ssrc-group:SIM 1 2 3
    a=msid:s t
    a=msid:- t
    a=msid:s
    a=rid:h send
    a=rid:l send
    a=simulcast:send h;l
    a=simulcast:recv h,l
    a=sctp-port:5000
    a=max-message-size:0
    b=AS:100
    b=TIAS:0
    b=TIAS:18446744073709551615
    c=IN IP6 ::1
    a=maxptime:0
    a=ptime:20
    a=imageattr:96 send *
    a=fingerprint:sha-256 00
    a=tls-id:1
    a=rtcp:9 IN IP4 0.0.0.0
    a=x-unknown:1
    """.split(separator: "\n").map(String.init)
