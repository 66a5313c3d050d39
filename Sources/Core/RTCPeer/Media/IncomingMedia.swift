internal import RTCMedia
internal import RTCWire

/// The receiving side of one transceiver: the RTP stream of the remote track, and its jitter buffer.
///
/// A class, so that reading one of its fields copies one word instead of everything that stream and buffer reference.
final class IncomingMedia {
    let transceiver: TransceiverID
    let kind: MediaKind
    private(set) var parameters: MediaSectionParameters
    /// Codecs of earlier exchanges whose payload types were not reassigned. The remote peer may still send them:
    /// packets are in flight when a description arrives, and some implementations never change the payload type.
    private var formerCodecs: [MediaSectionParameters.Codec] = []
    private(set) var mid: RTPStreamName?
    /// Whether the last exchange agreed on receiving.
    private(set) var isAgreed: Bool
    /// The received stream; `nil` before the first packet.
    var stream: RTPIncomingStream?
    /// The SSRCs of the stream and its retransmissions, compared with those of each packet.
    private(set) var ssrc: SynchronizationSource?
    private var retransmissionSSRC: SynchronizationSource?
    var video: VideoJitterBuffer?
    /// The owner's sink for audio packets.
    var audio: (any AudioPacketSink)?
    /// The codec of the last packet, for statistics.
    private(set) var codec: MediaSectionParameters.Codec?
    /// The last packet's payload type, so that codecs with their strings are not compared for each packet.
    private(set) var current: (type: RTPPayloadType, format: PayloadFormat, isRedundant: Bool)?
    var lastAudioLevel: PacketAudioLevel?
    /// The render time of the last frame, for lip sync.
    var lastRendered: LipSync.Presentation?
    /// Whether a BYE has arrived, and nothing since.
    var hasEnded = false

    /// The silence after which another source may replace the current one.
    static let silence: TimeDelta = .milliseconds(300)
    /// The clock rate of all payload formats for video.
    private static let videoClockRate: UInt32 = 90_000

    init(_ parameters: MediaSectionParameters) {
        transceiver = parameters.transceiver
        kind = parameters.kind
        self.parameters = parameters
        mid = parameters.mid.flatMap { RTPStreamName($0) }
        isAgreed = parameters.direction.receives
    }

    /// Whether `source` is the received stream or its retransmissions.
    func owns(_ source: SynchronizationSource) -> Bool { source == ssrc || source == retransmissionSSRC }

    /// Whether its media can be synchronized with others, because its sender's clock is known.
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

    /// Keeps the last former codec of each of the 128 payload types, at most.
    private func keepFormerCodecs(_ new: MediaSectionParameters) {
        guard new.receiveCodecs != parameters.receiveCodecs else { return }
        var taken = Set(new.receiveCodecs.flatMap(\.payloadTypes))
        if let protection = new.receiveProtection { taken.formUnion(protection.payloadTypes) }
        formerCodecs = (parameters.receiveCodecs + formerCodecs).filter { codec in
            guard taken.isDisjoint(with: codec.payloadTypes) else { return false }
            taken.formUnion(codec.payloadTypes)
            return true
        }
    }

    /// The codec of a payload type, and whether the type carries its retransmissions.
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
        parameters.receiveCodecs.contains { $0.covers(type) } || isWrapped(type) || isWrappedRetransmission(type)
    }

    private func configuration(
        ssrc: SynchronizationSource, clockRate: UInt32, rtxSSRC: SynchronizationSource?
    ) -> RTPIncomingStream.Configuration {
        let feedback = parameters.receiveCodecs.first?.codec.feedback ?? []
        var configuration = RTPIncomingStream.Configuration(
            ssrc: ssrc, clockRate: clockRate, rtxSSRC: rtxSSRC,
            rtxPayloadTypes: (parameters.receiveCodecs + formerCodecs).compactMap { codec in
                codec.retransmissionPayloadType.map { (media: codec.payloadType, rtx: $0) }
            },
            requestsRetransmissions: kind == .video && feedback.contains("nack"),
            requestsKeyFrames: kind == .video && feedback.contains("nack pli"))
        if let protection = parameters.receiveProtection {
            configuration.protection = protection.types
            configuration.extensionMap = parameters.receiveExtensionMap
            if let type = protection.retransmissionPayloadType {
                configuration.rtxPayloadTypes.append((media: protection.types.red, rtx: type))
            }
        }
        return configuration
    }

    /// Whether `ssrc` may become the source of this transceiver: there is none yet, the current one is silent, or the
    /// description announces it.
    func mayAdopt(_ ssrc: SynchronizationSource, at now: Instant) -> Bool {
        guard let last = stream?.reception.lastArrival else { return true }
        if parameters.remoteSources.contains(where: { $0.ssrc == ssrc }),
            !parameters.remoteSources.contains(where: { $0.ssrc == self.ssrc })
        {
            return true
        }
        return now - last >= Self.silence
    }

    /// Starts receiving from `ssrc` in place of the previous source.
    ///
    /// - Parameter codec: `nil` where the first packet is wrapped: what is in it tells.
    func adopt(_ ssrc: SynchronizationSource, codec: MediaSectionParameters.Codec?) {
        let announced = parameters.remoteSources.first { $0.ssrc == ssrc }
        stream = RTPIncomingStream(
            configuration(
                ssrc: ssrc, clockRate: codec?.codec.clockRate ?? Self.videoClockRate,
                rtxSSRC: announced?.retransmissionSSRC))
        self.ssrc = ssrc
        retransmissionSSRC = announced?.retransmissionSSRC
        current = nil
        if let codec { begin(codec) }
        video?.reset()
        audio?.reset()
    }

    /// Adopts `ssrc` as the source of the stream's retransmissions.
    ///
    /// - Returns: `false` when there is no stream yet.
    func adopt(retransmissions ssrc: SynchronizationSource) -> Bool {
        guard stream != nil else { return false }
        stream?.adopt(rtxSSRC: ssrc)
        retransmissionSSRC = ssrc
        return true
    }

    /// Handles a BYE of the source.
    ///
    /// - Returns: Whether it is the first since the last packet.
    func end() -> Bool {
        defer { hasEnded = true }
        return !hasEnded
    }

    /// The result of receiving a packet.
    enum Outcome {
        /// Receiving was not agreed upon.
        case unexpected
        case taken
        /// The payload is malformed.
        case malformed
        /// ``pollFrame(at:)`` or ``pollKeyFrameRequest(at:)`` may have a result.
        case wantsPoll
    }

    /// Takes a packet of the stream.
    ///
    /// - Parameter extensions: The packet's header extensions.
    func receive(
        _ packet: RawSpan, header: borrowing RTPHeader, extensions: borrowing RTPHeaderExtensions, at now: Instant
    ) -> Outcome {
        guard isAgreed else { return .unexpected }
        guard let arrival = stream?.receive(packet, header: header, at: now) else { return .wantsPoll }
        if arrival.isErrorCorrection { return receiveErrorCorrection(arrival, at: now) }
        guard let format = format(of: arrival.header.payloadType) else { return .wantsPoll }
        hasEnded = false
        if arrival.isRestart {
            video?.reset()
            audio?.reset()
        }
        let payload = packet.extracting(unchecked: arrival.payload)
        switch kind {
        case .video:
            var wantsPoll = insert(payload, arrival, format, extensions, at: now)
            if let missing = video?.dispensable { stream?.forget(missing) }
            if parameters.receiveProtection != nil, insertRecovered(at: now) { wantsPoll = true }
            return wantsPoll ? .wantsPoll : .taken
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

    /// Takes a packet of redundant audio: its primary frame first, then the copies of earlier ones.
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

    /// The format of a payload type, and switches to it; `nil` when it is not supported.
    func format(of type: RTPPayloadType) -> PayloadFormat? {
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

    /// The next frame that is due.
    func pollFrame(at now: Instant) -> AssembledVideoFrame? {
        guard let picture = video?.poll(at: now) else { return nil }
        if picture.frame.isKeyFrame { stream?.keyFrameArrived() }
        stream?.forget(before: picture.lastSequenceNumber + 1)
        lastRendered = (picture.frame.timestamp, picture.renderTime)
        return picture
    }

    /// Requests a key frame if the jitter buffer needs one.
    func pollKeyFrameRequest(at now: Instant) {
        if video?.pollKeyFrameRequest(at: now) ?? false { stream?.requestKeyFrame() }
    }
}

extension MediaSectionParameters.Codec {
    /// The payload types of the codec, its retransmissions, and its redundant audio.
    fileprivate var payloadTypes: [RTPPayloadType] {
        [payloadType] + [retransmissionPayloadType, redundancyPayloadType].compactMap(\.self)
    }

    fileprivate func covers(_ type: RTPPayloadType) -> Bool {
        payloadType == type || retransmissionPayloadType == type || redundancyPayloadType == type
    }

    /// Whether the payload type carries its retransmissions.
    fileprivate func repeats(with type: RTPPayloadType) -> Bool {
        payloadType != type && retransmissionPayloadType == type
    }
}
