import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Calls of browsers and aiortc")
struct BrowserMediaTests {
    private func answered(_ text: String, withTracks: Bool) throws -> NegotiatingSide {
        var side = try NegotiatingSide.media(seed: 3)
        if withTracks {
            try side.addTrack(.audio)
            try side.addTrack(.video)
        }
        try side.take(SessionDescription(type: .offer, sdp: text))
        _ = try side.answer()
        return side
    }

    private func numbers(_ codecs: [MediaSectionParameters.Codec]) -> [UInt8] { codecs.map(\.payloadType.rawValue) }

    @Test("every section is accepted, in place and in the group", arguments: BrowserMediaDescriptions.offers)
    func accepted(sample: BrowserDescriptions.Sample) throws {
        for withTracks in [false, true] {
            let side = try answered(sample.text, withTracks: withTracks)
            let offer = try SDP(parsing: sample.text)
            let answer = try SDP(parsing: #require(side.negotiator.localDescription).sdp)
            #expect(answer.session.groups == offer.session.groups)
            for (mine, theirs) in zip(answer.media, offer.media) {
                #expect(mine.kind == theirs.kind && mine.level.mid == theirs.level.mid && !mine.isRejected)
                #expect(mine.protocolName == theirs.protocolName && mine.level.setup == .active)
                guard mine.kind != "application" else { continue }
                // Nothing that was not offered, and under its number.
                #expect(mine.formats == theirs.formats.filter(mine.formats.contains))
                for map in mine.level.rtpMaps {
                    let offered = theirs.level.rtpMaps.first { $0.payloadType == map.payloadType }
                    #expect(offered.map { $0.encodingName == map.encodingName } ?? false)
                }
                for map in mine.level.extensionMaps {
                    #expect(theirs.level.extensionMaps.contains { $0.id == map.id && $0.uri == map.uri })
                }
                for feedback in mine.level.rtcpFeedback { #expect(theirs.level.rtcpFeedback.contains(feedback)) }
                // Whoever receives nothing gets no track of ours (RFC 9429, section 5.10).
                let theirDirection = try #require(theirs.level.direction)
                let wanted: SDPDirection = withTracks && theirDirection.receives ? .sendrecv : .recvonly
                #expect(mine.level.direction == theirDirection.reversed.intersection(wanted))
                #expect(mine.level.isRTCPReducedSize == theirs.level.isRTCPReducedSize)
            }
            #expect(side.negotiator.transceivers.compactMap(\.mid).sorted() == ["0", "1"])
            #expect(side.negotiator.needsNegotiation == side.negotiator.transceivers.contains { $0.mid == nil })
        }
    }

    @Test("Chromium: Opus, G.711, VP8, H.264 in its variant, VP9, each with its retransmission")
    func chromium() throws {
        let side = try answered(BrowserMediaDescriptions.chromium, withTracks: true)
        let audio = try side.parameters(0), video = try side.parameters(1)
        #expect(numbers(audio.sendCodecs) == [111, 0, 8])
        #expect(numbers(video.sendCodecs) == [96, 108, 98])
        #expect(video.sendCodecs.compactMap(\.retransmissionPayloadType?.rawValue) == [97, 109, 99])
        #expect(
            video.remoteSources == [
                .init(
                    ssrc: SynchronizationSource(4_002_003_265),
                    retransmissionSSRC: SynchronizationSource(2_228_568_919),
                    cname: "VECV/fdWhnrFME6s")
            ])
        #expect(video.remoteStreamIDs == ["d3918c7d-34a0"] && video.remoteTrackID == "0e417171-5c93")
        #expect(video.sendExtensionMap.id(of: .mediaIdentification) == 4)
        #expect(video.sendExtensionMap.id(of: .videoOrientation) == 13)
        #expect(side.media.tracks.map(\.kind) == [.audio, .video])
        #expect(try side.localSections()[0].level.allowsMixedExtensions)
    }

    @Test("Firefox: numbers of its own, lines in any order, an extension that it only receives")
    func firefox() throws {
        var side = try NegotiatingSide.media(
            seed: 3, extensions: TestCodecs.extensions + [RTPHeaderExtension.playoutDelay.uri])
        try side.addTrack(.video)
        try side.take(SessionDescription(type: .offer, sdp: BrowserMediaDescriptions.firefox))
        _ = try side.answer()
        let video = try side.parameters(0)
        #expect(numbers(video.sendCodecs) == [120, 121, 126])
        #expect(video.sendCodecs[0].codec.formatParameters == "max-fs=12288;max-fr=60")
        #expect(video.sendCodecs[0].retransmissionPayloadType?.rawValue == 124)
        let delay = try #require(
            try side.localSections()[1].level.extensionMaps.first { $0.uri.hasSuffix("playout-delay") })
        #expect(delay.id == 6 && delay.direction == .sendonly)
        #expect(video.sendExtensionMap.id(of: .playoutDelay) == 6)
        #expect(video.receiveExtensionMap.id(of: .playoutDelay) == nil)
    }

    @Test("Safari: one-way sections and a bitrate")
    func safari() throws {
        let side = try answered(BrowserMediaDescriptions.safari, withTracks: true)
        // Our audio track waits for a section of its own; this one receives only.
        #expect(side.negotiator.transceivers.map(\.mid) == [nil, "1", "0"])
        #expect(side.negotiator.transceivers.map(\.currentDirection) == [nil, .sendonly, .recvonly])
        let video = try side.parameters(1)
        #expect(numbers(video.sendCodecs) == [98, 100])
        #expect(video.maximumSendBitrate == 1_500_000)
        #expect(side.media.tracks.map(\.kind) == [.audio])
        // Without a track there is nothing to send, and the section stays for later.
        let viewer = try answered(BrowserMediaDescriptions.safari, withTracks: false)
        #expect(viewer.negotiator.transceivers.map(\.currentDirection) == [.recvonly, .inactive])
    }

    @Test("aiortc answers our offer")
    func aiortcAnswer() throws {
        var side = try NegotiatingSide.media(seed: 3)
        try side.addTrack(.audio)
        try side.addTrack(.video)
        _ = try side.offer()
        try side.take(SessionDescription(type: .answer, sdp: BrowserMediaDescriptions.aiortcAnswer))
        let audio = try side.parameters(0), video = try side.parameters(1)
        #expect(numbers(audio.sendCodecs) == [111, 0, 8] && audio.sendCodecs[0].codec.feedback.isEmpty)
        #expect(numbers(video.sendCodecs) == [96, 100] && numbers(video.receiveCodecs) == [96, 100, 98])
        // What was not answered has no feedback that could be meant.
        #expect(video.receiveCodecs.map(\.codec.feedback.isEmpty) == [false, false, true])
        #expect(video.sendCodecs[0].codec.feedback == ["goog-remb", "nack", "nack pli"])
        #expect(video.sendExtensions.map(\.id) == [4, 2])
        #expect(!video.isRTCPReducedSize)
        #expect(side.changes.remoteTransport?.description.candidates.count == 1)
        #expect(side.media.tracks.map(\.streamIDs) == [["9ce7806b"], ["9ce7806b"]])
    }

    @Test("simulcast is answered as one stream")
    func simulcast() throws {
        let side = try answered(BrowserDescriptions.chromeAudioVideoData, withTracks: true)
        let answer = try side.localSections()[1].level
        #expect(answer.simulcast == nil && answer.restrictions.isEmpty)
        #expect(try side.parameters(1).remoteRestrictionIDs == ["hi", "lo"])
        #expect(try side.parameters(1).sendCodecs.map(\.codec.name) == ["VP8", "H264"])
    }

    @Test("bundle-only sections take the transport of the group's first, which says rtcp-mux for all")
    func bundleOnly() throws {
        let text = BrowserMediaDescriptions.firefox
        let parts = text.split(separator: "m=video 9")
        let video = parts[1].split(separator: "\n").filter {
            !$0.hasPrefix("a=ice") && $0 != "a=rtcp-mux" && $0 != "a=setup:actpass"
        }.joined(separator: "\n")
        let side = try answered(parts[0] + "m=video 0" + video + "\na=bundle-only\n", withTracks: true)
        #expect(try side.localSections().map(\.port) == [9, 9])
        #expect(try side.parameters(1).direction == .sendrecv)
    }

    @Test("a section with a port of its own for RTCP is refused, and so is one outside of the group")
    func notMultiplexed() throws {
        let text = BrowserMediaDescriptions.aiortc
        let alone = try answered(text.replacing("BUNDLE 0 1", with: "BUNDLE 0"), withTracks: true)
        #expect(try alone.localSections().map(\.isRejected) == [false, true])
        #expect(alone.negotiator.transceivers.map(\.mid) == ["0", nil])
        // Our video track still has no section: an offer is due.
        #expect(alone.negotiator.needsNegotiation)
        let plain = try answered(
            text.replacing("BUNDLE 0 1", with: "BUNDLE 0").replacing("a=rtcp-mux\n", with: ""), withTracks: false)
        #expect(try plain.localSections().map(\.isRejected) == [true, true])
        #expect(plain.negotiator.transceivers.isEmpty)
    }
}
