import RTCMedia
import RTCPeer
import RTCWire
import Testing

@Suite("Audio and video: one offer, one answer")
struct MediaOfferAnswerTests {
    @Test("the offer's text")
    func offerText() throws {
        var side = try NegotiatingSide.media(seed: 1)
        try side.addTrack(.audio, "voice")
        try side.negotiator.addTransceiver(.video, direction: .recvonly)
        side.negotiator.addDataSection()
        let sdp = try SDP(parsing: side.offer().sdp)
        #expect(
            sdp.media.map(\.mediaLine) == [
                "audio 9 UDP/TLS/RTP/SAVPF 111 0 8", "video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101",
                "application 9 UDP/DTLS/SCTP webrtc-datachannel",
            ])
        #expect(sdp.session.groups == [SDPGroup(mids: ["0", "1", "2"])])
        let audio = sdp.media[0].level, video = sdp.media[1].level
        #expect(audio.direction == .sendrecv && video.direction == .recvonly)
        #expect(audio.isRTCPMultiplexed && audio.isRTCPReducedSize && video.isRTCPMultiplexed)
        #expect(audio.mediaStreams == [SDPMediaStreamIdentifier(stream: "stream", track: "voice")])
        #expect(audio.sources.map(\.attribute) == ["cname"] && audio.sources[0].value == "side1")
        #expect(audio.sourceGroups.isEmpty)
        // Who only receives names no source.
        #expect(video.mediaStreams.isEmpty && video.sources.isEmpty)
        #expect(audio.rtpMaps.map(\.description) == ["111 opus/48000/2", "0 PCMU/8000", "8 PCMA/8000"])
        #expect(sdp.media[0].parameters(111) == "minptime=10;useinbandfec=1")
        #expect(sdp.media[1].parameters(97) == "apt=96" && sdp.media[1].parameters(101) == "apt=100")
        #expect(video.rtcpFeedback.filter { $0.payloadType == 96 }.count == 5)
        #expect(video.rtcpFeedback.contains(SDPRTCPFeedback(payloadType: 98, type: "nack", parameter: "pli")))
        // One number for one meaning, the customary one, and each kind has its own extensions.
        #expect(audio.extensionMaps.map(\.id) == [4, 2, 3, 1])
        #expect(video.extensionMaps.map(\.id) == [4, 2, 3, 13])
        #expect(video.setup == .actpass && video.iceUsernameFragment == side.credentials.fragment)
        #expect(sdp.serialized == side.negotiator.localDescription?.sdp)
    }

    @Test("a video track is announced with its retransmissions")
    func sources() throws {
        var side = try NegotiatingSide.media(seed: 1)
        let id = try side.negotiator.addTrack(
            .video,
            sender: MediaSender(
                streamIDs: ["a", "b"], trackID: "t", ssrc: SynchronizationSource(1_000),
                retransmissionSSRC: SynchronizationSource(2_000)))
        let level = try SDP(parsing: side.offer().sdp).media[0].level
        #expect(level.sourceGroups == [SDPSourceGroup(semantics: "FID", ssrcs: [1_000, 2_000])])
        #expect(level.sources.map(\.description) == ["1000 cname:side1", "2000 cname:side1"])
        #expect(level.mediaStreams.map(\.description) == ["a t", "b t"])
        #expect(side.negotiator.transceiver(id)?.mid == "0")
    }

    @Test("a transceiver without streams or track says so with a dash")
    func withoutStreams() throws {
        var side = try NegotiatingSide.media(seed: 1)
        try side.negotiator.addTransceiver(.audio)
        #expect(try SDP(parsing: side.offer().sdp).media[0].level.mediaStreams.map(\.description) == ["-"])
    }

    @Test("both sides agree: parameters mirror each other")
    func mirrored() throws {
        let (caller, callee) = try callingSides()
        for index in 0..<2 {
            let mine = try caller.parameters(index), theirs = try callee.parameters(index)
            #expect(mine.direction == .sendrecv && theirs.direction == .sendrecv)
            #expect(mine.mid == theirs.mid && mine.mid == String(index))
            #expect(mine.sendCodecs == theirs.receiveCodecs && mine.receiveCodecs == theirs.sendCodecs)
            #expect(mine.sendExtensions == theirs.receiveExtensions)
            #expect(mine.receiveExtensions == theirs.sendExtensions)
            #expect(mine.isRTCPReducedSize && theirs.isRTCPReducedSize)
            #expect(mine.remoteSources.map(\.ssrc) == [theirs.sender.ssrc])
            #expect(theirs.remoteSources.map(\.ssrc) == [mine.sender.ssrc])
            #expect(mine.remoteSources[0].cname == "side2" && theirs.remoteSources[0].cname == "side1")
            #expect(mine.remoteSources[0].retransmissionSSRC == theirs.sender.retransmissionSSRC)
            #expect(mine.remoteStreamIDs == ["stream"] && mine.remoteTrackID == theirs.sender.trackID)
            #expect(try caller.transceiver(index).currentDirection == .sendrecv)
        }
        let video = try caller.parameters(1)
        #expect(video.sendCodecs.map(\.codec.name) == ["VP8", "VP9", "H264"])
        #expect(video.sendCodecs.map(\.payloadType.rawValue) == [96, 98, 100])
        #expect(video.sendCodecs.map { $0.retransmissionPayloadType?.rawValue } == [97, 99, 101])
        #expect(video.sendCodecs[0].codec.feedback == TestCodecs.feedback)
        #expect(video.sendExtensionMap.id(of: .transportSequenceNumber) == 3)
        #expect(try caller.parameters(0).sendExtensionMap.id(of: .audioLevel) == 1)
        #expect(!caller.negotiator.needsNegotiation && !callee.negotiator.needsNegotiation)
    }

    @Test("the order of what a peer is told: what it gets, then what comes of it")
    func order() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        let id = try caller.addTrack(.video, "picture")
        try callee.take(caller.offer())
        let told = callee.takeMedia()
        let added = try #require(told.added.first)
        #expect(added.direction == .recvonly && added.kind == .video && added.mid == "0")
        #expect(
            told == [
                .transceiverAdded(added),
                .remoteTrack(
                    RemoteTrack(
                        transceiver: added.id, kind: .video, mid: "0", streamIDs: ["stream"], trackID: "picture")),
            ])
        // What is received begins with the answer.
        let answer = try callee.answer()
        #expect(callee.takeMedia() == [.parameters(try callee.parameters(0))])
        #expect(try callee.parameters(0).direction == .recvonly)
        #expect(caller.takeMedia().isEmpty)
        try caller.take(answer)
        // The other side sends nothing: there is no track.
        #expect(caller.takeMedia() == [.parameters(try caller.parameters(0))])
        #expect(try caller.parameters(0).direction == .sendonly && caller.parameters(0).transceiver == id)
    }

    @Test("a transceiver that the offer brought may send in the answer")
    func sendInAnswer() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        try caller.addTrack(.audio)
        try callee.take(caller.offer())
        let added = try callee.transceiver(0).id
        #expect(try callee.addTrack(.audio, "reply") == added)
        try caller.take(callee.answer())
        #expect(try caller.parameters(0).direction == .sendrecv)
        #expect(caller.media.tracks.map(\.trackID) == ["reply"])
        #expect(try callee.transceiver(0).currentDirection == .sendrecv)
        #expect(!callee.negotiator.needsNegotiation)
    }

    @Test("what one side has not is left out, in the offerer's order")
    func common() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(
            seed: 2, codecs: [TestCodecs.h264, TestCodecs.vp9, TestCodecs.pcma],
            extensions: [TestCodecs.orientation, TestCodecs.mid])
        try caller.addTrack(.audio)
        try caller.addTrack(.video)
        try caller.exchange(with: &callee)
        #expect(try callee.localSections().map(\.formats) == [["8"], ["98", "99", "100", "101"]])
        #expect(try callee.localSections()[1].level.extensionMaps.map(\.id) == [4, 13])
        #expect(try caller.parameters(1).sendCodecs.map(\.codec.name) == ["VP9", "H264"])
        #expect(try caller.parameters(1).sendExtensions.map(\.uri) == [TestCodecs.mid, TestCodecs.orientation])
        // Whatever was offered may arrive, before the answer too.
        #expect(try caller.parameters(1).receiveCodecs.count == 3)
    }

    @Test("feedback is what both name, retransmission what both have")
    func feedback() throws {
        var plain = TestCodecs.vp8
        plain.feedback = ["nack", "nack pli", "ccm tmmbr"]
        var capabilities = MediaCapabilities(codecs: [plain])
        capabilities.video.isRetransmissionOffered = false
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide(seed: 2, configuration: .init(media: capabilities))
        try caller.addTrack(.video)
        try caller.exchange(with: &callee)
        #expect(try callee.localSections()[0].formats == ["96"])
        for side in [caller, callee] {
            let codec = try side.parameters(0).sendCodecs[0]
            #expect(codec.codec.feedback == ["nack", "nack pli"] || codec.codec.feedback == ["nack pli", "nack"])
            #expect(codec.retransmissionPayloadType == nil)
        }
    }

    @Test("a side without media refuses audio and video, and the transceiver is stopped")
    func refused() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide(seed: 2)
        let id = try caller.addTrack(.audio)
        caller.negotiator.addDataSection()
        try caller.exchange(with: &callee)
        #expect(caller.takeMedia() == [.transceiverStopped(id)])
        #expect(caller.negotiator.transceivers.isEmpty && callee.negotiator.transceivers.isEmpty)
        #expect(caller.changes.data != nil && callee.takeMedia().isEmpty)
        #expect(!caller.negotiator.needsNegotiation)
    }

    @Test("codec preferences: which, and in what order, in offer and answer")
    func preferences() throws {
        var caller = try NegotiatingSide.media(seed: 1)
        var callee = try NegotiatingSide.media(seed: 2)
        let id = try caller.addTrack(.video)
        try caller.negotiator.setCodecPreferences([TestCodecs.h264, TestCodecs.vp8], of: id)
        let offer = try caller.offer()
        #expect(try caller.localSections()[0].level.rtpMaps.map(\.encodingName) == ["H264", "rtx", "VP8", "rtx"])
        try callee.take(offer)
        // RFC 9429, section 5.3.1: with preferences of its own, the answer has its own order.
        try callee.negotiator.setCodecPreferences(
            [TestCodecs.vp9, TestCodecs.vp8, TestCodecs.h264], of: callee.transceiver(0).id)
        try caller.take(callee.answer())
        #expect(try caller.parameters(0).sendCodecs.map(\.codec.name) == ["VP8", "H264"])
        #expect(try callee.parameters(0).sendCodecs.map(\.codec.name) == ["VP8", "H264"])
        // By itself this needs no offer.
        try caller.negotiator.setCodecPreferences([], of: id)
        #expect(!caller.negotiator.needsNegotiation)
    }

    @Test("what is no wish that could be met is refused")
    func badWishes() throws {
        var side = try NegotiatingSide.media(seed: 1, codecs: [TestCodecs.opus])
        expect(.unsupportedCodec, of: &side) { try $0.negotiator.addTransceiver(.video) }
        expect(.unsupportedCodec, of: &side) { try $0.addTrack(.video) }
        expect(.unsupportedCodec, of: &side) { try $0.negotiator.addTransceiver(.audio, codecs: [TestCodecs.pcmu]) }
        for bad in ["two words", "line\r\na=x", "", String(repeating: "x", count: 65)] {
            expect(.invalidInput, of: &side) { try $0.addTrack(.audio, bad) }
            expect(.invalidInput, of: &side) { try $0.addTrack(.audio, stream: bad) }
        }
        let gone = TransceiverID(rawValue: 99)
        expect(.noSuchTransceiver, of: &side) { try $0.negotiator.setDirection(.inactive, of: gone) }
        expect(.noSuchTransceiver, of: &side) { try $0.negotiator.stop(gone) }
        #expect(side.negotiator.transceivers.isEmpty && !side.negotiator.needsNegotiation)
    }

    @Test("capabilities that no description could carry are left out")
    func badCapabilities() throws {
        var bad = TestCodecs.opus
        bad.formatParameters = "x\r\na=evil"
        let rtx = RTPCodec(kind: .audio, name: "rtx", clockRate: 90_000)
        var side = try NegotiatingSide.media(
            seed: 1, codecs: [bad, rtx, TestCodecs.pcmu], extensions: ["urn:x\r\na=evil", "urn:two words", "urn:y"])
        try side.addTrack(.audio)
        let offer = try side.offer()
        #expect(!offer.sdp.contains("evil"))
        #expect(try side.localSections()[0].formats == ["0"])
        #expect(try side.localSections()[0].level.extensionMaps.map(\.uri) == ["urn:y"])
    }
}
