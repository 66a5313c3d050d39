internal import RTCMedia
internal import RTCWire

/// What one transceiver receives: the RTP stream of the other side's track, and the buffer that puts it in order.
///
/// A class, so that to look at one of its fields copies one word, and not all that stream and buffer refer to.
final class IncomingMedia {
    let transceiver: TransceiverID
    let kind: MediaKind
    private(set) var parameters: MediaSectionParameters
    /// What earlier exchanges agreed upon, as far as the numbers mean nothing else now. The other side may go on sending
    /// it: packets are under way when a description comes, and some never change the number.
    private var formerCodecs: [MediaSectionParameters.Codec] = []
    private(set) var mid: RTPStreamName?
    /// Whether the last exchange agreed that there is something to receive.
    private(set) var isAgreed: Bool
    /// What is being received; `nil` before the first packet.
    var stream: RTPIncomingStream?
    /// The stream's source and that of its retransmissions, to be compared with those of each packet.
    private(set) var ssrc: SynchronizationSource?
    private var retransmissionSSRC: SynchronizationSource?
    var video: VideoJitterBuffer?
    /// Where sound goes, in the owner's hands.
    var audio: (any AudioPacketSink)?
    /// What was received last, for statistics.
    private(set) var codec: MediaSectionParameters.Codec?
    /// The payload type of the packet before, so that codecs, with their names and texts, are not compared each time.
    private var current: (type: RTPPayloadType, format: PayloadFormat, isRedundant: Bool)?
    var lastAudioLevel: PacketAudioLevel?
    /// When the picture that was given out last is shown, for lip sync.
    var lastShown: LipSync.Presentation?
    /// Whether the source has said good-bye, and nothing came since.
    private var hasEnded = false

    /// A source that has been silent for this long may be replaced by another one.
    static let silence: TimeDelta = .milliseconds(300)

    init(_ parameters: MediaSectionParameters) {
        transceiver = parameters.transceiver
        kind = parameters.kind
        self.parameters = parameters
        mid = parameters.mid.flatMap { RTPStreamName($0) }
        isAgreed = parameters.direction.receives
    }

    /// Whether `source` is what is being received, or repeats it.
    func owns(_ source: SynchronizationSource) -> Bool { source == ssrc || source == retransmissionSSRC }

    /// Whether its pictures or sounds can be brought together with others: its clock is known.
    func isSynchronizable(_ kind: MediaKind) -> Bool { self.kind == kind && stream?.senderReport != nil }

    func apply(_ new: MediaSectionParameters) {
        keepFormerCodecs(new)
        parameters = new
        isAgreed = new.direction.receives
        if !isAgreed { stream?.forgetRequests() }
        current = nil
        mid = new.mid.flatMap { RTPStreamName($0) }
        guard let old = stream?.configuration else { return }
        let configuration = configuration(ssrc: old.ssrc, clockRate: old.clockRate, rtxSSRC: old.rtxSSRC)
        stream?.configuration = configuration
    }

    /// At most one for each of the 128 payload types: the last that it was.
    private func keepFormerCodecs(_ new: MediaSectionParameters) {
        guard new.receiveCodecs != parameters.receiveCodecs else { return }
        var taken = Set(new.receiveCodecs.flatMap(\.payloadTypes))
        formerCodecs = (parameters.receiveCodecs + formerCodecs).filter { codec in
            guard taken.isDisjoint(with: codec.payloadTypes) else { return false }
            taken.formUnion(codec.payloadTypes)
            return true
        }
    }

    /// The codec of a payload type, and whether the type is that of its retransmissions.
    func codec(_ type: RTPPayloadType) -> (codec: MediaSectionParameters.Codec, isRetransmission: Bool)? {
        for codec in parameters.receiveCodecs where codec.covers(type) {
            return (codec, codec.repeats(with: type))
        }
        for codec in formerCodecs where codec.covers(type) {
            return (codec, codec.repeats(with: type))
        }
        return nil
    }

    /// Whether the last exchange agreed upon the payload type.
    func isAgreed(_ type: RTPPayloadType) -> Bool {
        parameters.receiveCodecs.contains { $0.covers(type) }
    }

    private func configuration(
        ssrc: SynchronizationSource, clockRate: UInt32, rtxSSRC: SynchronizationSource?
    ) -> RTPIncomingStream.Configuration {
        let feedback = parameters.receiveCodecs.first?.codec.feedback ?? []
        return RTPIncomingStream.Configuration(
            ssrc: ssrc, clockRate: clockRate, rtxSSRC: rtxSSRC,
            rtxPayloadTypes: (parameters.receiveCodecs + formerCodecs).compactMap { codec in
                codec.retransmissionPayloadType.map { (media: codec.payloadType, rtx: $0) }
            },
            requestsRetransmissions: kind == .video && feedback.contains("nack"),
            requestsKeyFrames: kind == .video && feedback.contains("nack pli"))
    }

    /// Whether `ssrc` may become the source of this transceiver: there is none yet, it has fallen silent, or the
    /// description says so.
    func mayAdopt(_ ssrc: SynchronizationSource, at now: Instant) -> Bool {
        guard let last = stream?.reception.lastArrival else { return true }
        if parameters.remoteSources.contains(where: { $0.ssrc == ssrc }),
            !parameters.remoteSources.contains(where: { $0.ssrc == self.ssrc })
        {
            return true
        }
        return now - last >= Self.silence
    }

    /// Begins to receive from `ssrc`; what was received from another one ends.
    func adopt(_ ssrc: SynchronizationSource, codec: MediaSectionParameters.Codec) {
        let announced = parameters.remoteSources.first { $0.ssrc == ssrc }
        stream = RTPIncomingStream(
            configuration(
                ssrc: ssrc, clockRate: codec.codec.clockRate, rtxSSRC: announced?.retransmissionSSRC))
        self.ssrc = ssrc
        retransmissionSSRC = announced?.retransmissionSSRC
        current = nil
        begin(codec)
        video?.reset()
        audio?.reset()
    }

    /// Takes `ssrc` for the source of the stream's retransmissions.
    ///
    /// - Returns: `false` when there is no stream yet.
    func adopt(retransmissions ssrc: SynchronizationSource) -> Bool {
        guard stream != nil else { return false }
        stream?.adopt(rtxSSRC: ssrc)
        retransmissionSSRC = ssrc
        return true
    }

    /// The source has said good-bye.
    ///
    /// - Returns: Whether that is news.
    func end() -> Bool {
        defer { hasEnded = true }
        return !hasEnded
    }

    /// What a packet brought about.
    enum Outcome {
        /// It was not agreed that there is anything to receive.
        case unexpected
        case taken
        /// Its payload contradicts itself.
        case malformed
        /// ``pollFrame(at:)`` and ``pollKeyFrameRequest(at:)`` may have an answer.
        case wantsPoll
    }

    /// Takes a packet of the stream.
    ///
    /// - Parameter extensions: Of the packet.
    func receive(
        _ packet: RawSpan, header: borrowing RTPHeader, extensions: borrowing RTPHeaderExtensions, at now: Instant
    ) -> Outcome {
        guard isAgreed else { return .unexpected }
        guard let arrival = stream?.receive(packet, header: header, at: now),
            let format = format(of: arrival.header.payloadType)
        else { return .wantsPoll }
        hasEnded = false
        if arrival.isRestart {
            video?.reset()
            audio?.reset()
        }
        let payload = packet.extracting(unchecked: arrival.payload)
        switch kind {
        case .video:
            let wantsPoll = video?.insert(
                payload,
                VideoPacketInfo(
                    format: format, sequenceNumber: arrival.number, timestamp: arrival.header.timestamp,
                    marker: arrival.header.marker, rotation: extensions.rotation,
                    playoutDelay: extensions.playoutDelay, isRetransmission: arrival.isRetransmission),
                arrival: now)
            return wantsPoll ?? false ? .wantsPoll : .taken
        case .audio:
            if let level = extensions.audioLevel { lastAudioLevel = level }
            guard payload.byteCount > 0, let codec else { return .taken }
            let info = AudioPacketInfo(
                codec: codec, sequenceNumber: arrival.number, timestamp: arrival.header.timestamp, arrival: now)
            if let current, current.isRedundant { return receiveRedundant(payload, current.type, info) }
            audio?.receive(payload, info)
            return .taken
        }
    }

    /// Takes a packet of redundant audio: its own frame first, so that copies find their place before it.
    private func receiveRedundant(
        _ payload: RawSpan, _ type: RTPPayloadType, _ packet: AudioPacketInfo
    ) -> Outcome {
        guard var redundant = REDPayload(payload, type: type),
            redundant.own.payloadType == packet.codec.payloadType
        else { return .malformed }
        let own = payload.extracting(unchecked: redundant.own.range)
        if own.byteCount > 0 { audio?.receive(own, packet) }
        var place = redundant.copyCount
        while let block = redundant.nextCopy(in: payload) {
            let copy = AudioCopyInfo(timestampOffset: block.timestampOffset, place: place)
            place -= 1
            guard block.payloadType == packet.codec.payloadType, !block.range.isEmpty else { continue }
            audio?.receiveCopy(payload.extracting(unchecked: block.range), copy, in: packet)
        }
        return .taken
    }

    /// The format of a payload type, which is used from now on; `nil` when it is none of ours.
    private func format(of type: RTPPayloadType) -> PayloadFormat? {
        if let current, current.type == type { return current.format }
        guard let (codec, isRetransmission) = codec(type), !isRetransmission, let format = codec.codec.format,
            format.kind == kind
        else { return nil }
        if codec != self.codec { begin(codec) }
        current = (type, format, codec.payloadType != type)
        return format
    }

    private func begin(_ codec: MediaSectionParameters.Codec) {
        self.codec = codec
        stream?.setClockRate(codec.codec.clockRate)
        guard kind == .video, video == nil else { return }
        video = VideoJitterBuffer(parameters: FormatParameters(codec.codec.formatParameters))
    }

    /// The next picture that is due.
    func pollFrame(at now: Instant) -> AssembledVideoFrame? {
        guard let picture = video?.poll(at: now) else { return nil }
        if picture.frame.isKeyFrame { stream?.keyFrameArrived() }
        stream?.forget(before: picture.lastSequenceNumber + 1)
        lastShown = (picture.frame.timestamp, picture.renderTime)
        return picture
    }

    /// Asks for a key frame, if the pictures want one.
    func pollKeyFrameRequest(at now: Instant) {
        if video?.pollKeyFrameRequest(at: now) ?? false { stream?.requestKeyFrame() }
    }
}

extension MediaSectionParameters.Codec {
    /// Its own, that of its retransmissions and that of redundant audio.
    fileprivate var payloadTypes: [RTPPayloadType] {
        [payloadType] + [retransmissionPayloadType, redundancyPayloadType].compactMap(\.self)
    }

    fileprivate func covers(_ type: RTPPayloadType) -> Bool {
        payloadType == type || retransmissionPayloadType == type || redundancyPayloadType == type
    }

    /// Whether the type is that of its retransmissions.
    fileprivate func repeats(with type: RTPPayloadType) -> Bool {
        payloadType != type && retransmissionPayloadType == type
    }
}
