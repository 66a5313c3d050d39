internal import RTCMedia
internal import RTCWire

/// What one transceiver sends: its RTP stream, and the packetizer of the codec that is in use.
///
/// A class, so that to look at one of its fields copies one word, and not all that the stream refers to.
final class OutgoingMedia {
    let transceiver: TransceiverID
    let kind: MediaKind
    let ssrc: SynchronizationSource
    let retransmissionSSRC: SynchronizationSource?
    /// What was agreed upon; `nil` before the first answer.
    private(set) var parameters: MediaSectionParameters?
    /// Whether both sides agreed that this side sends.
    private(set) var isAgreed = false
    /// The stream, once there is a codec.
    var stream: RTPOutgoingStream?
    private var packetizer: VideoPacketizer?
    private var packetizedCodec: MediaSectionParameters.Codec?
    private var nextPayload: RTPTimestamp?
    /// References of the frame that is being written.
    private var references: [RTPPacketReference] = []
    var framesSent = 0
    var keyFramesSent = 0
    /// Bytes of the last key frame's packets.
    private(set) var keyFrameSize = 0

    init(
        transceiver: TransceiverID, kind: MediaKind, ssrc: SynchronizationSource,
        retransmissionSSRC: SynchronizationSource?
    ) {
        self.transceiver = transceiver
        self.kind = kind
        self.ssrc = ssrc
        self.retransmissionSSRC = retransmissionSSRC
    }

    /// Takes up what was agreed upon.
    ///
    /// - Parameter packetSize: Bytes of an RTP packet, without what SRTP adds.
    func apply(_ new: MediaSectionParameters, packetSize: Int, random: any RandomSource) {
        parameters = new
        isAgreed = new.direction.sends
        guard let first = new.sendCodecs.first(where: { $0.codec.format != nil }) else { return }
        var configuration = RTPOutgoingStream.Configuration(
            ssrc: ssrc, clockRate: first.codec.clockRate, history: kind == .video ? .video : .audio)
        configuration.rtxPayloadTypes = new.sendCodecs.compactMap { codec in
            codec.retransmissionPayloadType.map { (media: codec.payloadType, rtx: $0) }
        }
        configuration.rtxSSRC = configuration.rtxPayloadTypes.isEmpty ? nil : retransmissionSSRC
        configuration.extensionMap = new.sendExtensionMap
        configuration.mid = new.mid.flatMap { RTPStreamName($0) }
        // A packet that is repeated as it was would be sealed twice under one number, which no SRTP profile may do:
        // without a retransmission stream nothing is repeated.
        configuration.answersNACKs = configuration.rtxSSRC != nil
        configuration.maximumPacketSize = packetSize
        if stream == nil {
            stream = RTPOutgoingStream(configuration, random: random)
        } else {
            stream?.configuration = configuration
        }
    }

    /// The codec under which a frame of `format` is sent: the preferred one of its format.
    private func codec(of format: PayloadFormat) -> MediaSectionParameters.Codec? {
        parameters?.sendCodecs.first { $0.codec.format == format }
    }

    /// Cuts a picture into packets.
    ///
    /// - Returns: What to hand to the pacer; nothing when the picture's codec was not agreed upon.
    func write(
        _ frame: EncodedVideoFrame, captureTime: Instant, at now: Instant, random: any RandomSource
    ) -> [RTPPacketReference] {
        guard isAgreed, let codec = codec(of: frame.format), var stream = stream.take() else { return [] }
        defer { self.stream = stream }
        if packetizedCodec != codec {
            packetizedCodec = codec
            packetizer = VideoPacketizer(
                format: frame.format, parameters: FormatParameters(codec.codec.formatParameters),
                firstPictureID: UInt16(truncatingIfNeeded: random.next()))
        }
        guard var packetizer = packetizer.take() else { return [] }
        defer { self.packetizer = packetizer }
        var description = RTPFrameDescription(
            payloadType: codec.payloadType, timestamp: frame.timestamp, captureTime: captureTime)
        if frame.rotation != .none || framesSent > 0 { description.extensions.rotation = frame.rotation }
        let room = stream.maximumPayloadSize(for: description)
        references.removeAll(keepingCapacity: true)
        packetizer.begin(frame, maximumPayloadSize: room)
        while let reference = stream.write(description, from: &packetizer, at: now) { references.append(reference) }
        if !references.isEmpty {
            framesSent += 1
            if frame.isKeyFrame, let first = references.first {
                keyFramesSent += 1
                keyFrameSize = references.reduce(0) { $0 + $1.size }
                stream.noteKeyFrame(first, at: now)
            }
        }
        return references
    }

    /// Packets to be sent once more behind a picture, so that it shows what the path carries.
    func padding(_ probe: ProbeSchedule.Probe) -> [RTPPacketReference] {
        references.removeAll(keepingCapacity: true)
        if probe.padding > 0 { stream?.appendPadding(probe.padding, of: probe.packetSize, to: &references) }
        return references
    }

    /// Writes a packet of sound.
    func write(
        _ frame: EncodedAudioFrame, captureTime: Instant, at now: Instant
    ) -> RTPPacketReference? {
        guard isAgreed, let codec = codec(of: frame.format) else { return nil }
        var description = RTPFrameDescription(
            payloadType: codec.payloadType, timestamp: frame.timestamp, captureTime: captureTime)
        description.extensions.audioLevel = PacketAudioLevel(hasVoice: frame.hasVoice, level: frame.level)
        let marker = nextPayload != frame.timestamp
        nextPayload = RTPTimestamp(frame.timestamp.rawValue &+ frame.duration)
        return frame.data.withUnsafeBytes {
            stream?.write(description, payload: $0, marker: marker, at: now)
        }
    }
}

extension Optional {
    /// Takes the value out, so that it can be changed without being copied.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
