internal import RTCMedia
internal import RTCWire

/// The sending side of one transceiver: its RTP stream, and the packetizer of the current codec.
///
/// A class, so that reading one of its fields copies one word instead of everything that the stream references.
final class OutgoingMedia {
    let transceiver: TransceiverID
    let kind: MediaKind
    let ssrc: SynchronizationSource
    let retransmissionSSRC: SynchronizationSource?
    /// The negotiated parameters; `nil` before the first answer.
    private(set) var parameters: MediaSectionParameters?
    /// Whether the last exchange agreed on sending.
    private(set) var isAgreed = false
    /// The stream, once a codec is negotiated.
    var stream: RTPOutgoingStream?
    private var packetizer: VideoPacketizer?
    private var packetizedCodec: MediaSectionParameters.Codec?
    private var nextPayload: RTPTimestamp?
    /// The loss of sent audio according to the remote peer's reports.
    private var audioLoss = PacketLossEstimator()
    /// The redundancy plan, and the earlier frames available for it, newest first.
    private var redundancy = AudioRedundancy()
    private var earlier: [EncodedAudioFrame] = []
    private var copies: [REDPayload.Copy] = []
    /// The number of audio packets until the next decision.
    private var packetsUntilDecision = 0
    /// The number of redundant frames sent.
    private(set) var copiesSent = 0
    /// The loss of sent video according to the remote peer's reports, and the decision on its error correction.
    private var pictureLoss = PacketLossEstimator()
    private var protection = VideoProtection()
    /// The packet references of the current frame.
    private var references: [RTPPacketReference] = []
    private var hasWrittenFrame = false
    /// The size of the last key frame's packets in bytes.
    private(set) var keyFrameSize = 0
    /// The time until which frames before the next key frame are dropped.
    private var keyFrameDeadline: Instant?
    /// The temporal layer of a frame that was left out and is missing for others; `.max` for none.
    private var brokenLayer: UInt8 = .max
    /// The number of frames of higher temporal layers that were left out.
    private(set) var framesLeftOut = 0

    private static let longestKeyFrameWait = TimeDelta.seconds(1)

    init(
        transceiver: TransceiverID, kind: MediaKind, ssrc: SynchronizationSource,
        retransmissionSSRC: SynchronizationSource?
    ) {
        self.transceiver = transceiver
        self.kind = kind
        self.ssrc = ssrc
        self.retransmissionSSRC = retransmissionSSRC
    }

    /// Adopts the negotiated parameters.
    ///
    /// - Parameter packetSize: The bytes of an RTP packet before protection.
    func apply(_ new: MediaSectionParameters, packetSize: Int, random: any RandomSource) {
        parameters = new
        isAgreed = new.direction.sends
        guard let first = new.sendCodecs.first(where: { $0.codec.format != nil }) else { return }
        var configuration = RTPOutgoingStream.Configuration(
            ssrc: ssrc, clockRate: first.codec.clockRate, history: kind == .video ? .video : .audio)
        configuration.rtxPayloadTypes = new.sendCodecs.compactMap { codec in
            codec.retransmissionPayloadType.map { (media: codec.payloadType, rtx: $0) }
        }
        configuration.protection = new.sendProtection?.types
        if let types = new.sendProtection?.types, let type = new.sendProtection?.retransmissionPayloadType {
            configuration.rtxPayloadTypes.append((media: types.red, rtx: type))
        }
        configuration.rtxSSRC = configuration.rtxPayloadTypes.isEmpty ? nil : retransmissionSSRC
        configuration.extensionMap = new.sendExtensionMap
        configuration.mid = new.mid.flatMap { RTPStreamName($0) }
        // Without an RTX stream nothing is retransmitted: a verbatim retransmission would be sealed twice under one
        // number, which no SRTP profile allows.
        configuration.answersNACKs = configuration.rtxSSRC != nil
        configuration.maximumPacketSize = packetSize
        if stream == nil {
            stream = RTPOutgoingStream(configuration, random: random)
        } else {
            stream?.configuration = configuration
        }
    }

    /// The preferred codec for frames of `format`.
    private func codec(of format: PayloadFormat) -> MediaSectionParameters.Codec? {
        parameters?.sendCodecs.first { $0.codec.format == format }
    }

    /// Drops frames until the next key frame, since they depend on withdrawn ones.
    func awaitKeyFrame(at now: Instant) { keyFrameDeadline = now + Self.longestKeyFrameWait }

    /// Whether to send a frame. Waits for a key frame for a second at most.
    func takes(isKeyFrame: Bool, at now: Instant) -> Bool {
        guard let deadline = keyFrameDeadline else { return true }
        guard isKeyFrame || now >= deadline else { return false }
        keyFrameDeadline = nil
        return true
    }

    /// Whether to send a frame, or to leave it out: frames of higher temporal layers are, while the network is too slow, and
    /// those that refer to them.
    ///
    /// - Parameter queue: The time that the waiting packets take to leave.
    func takes(_ layer: TemporalLayer?, queue: TimeDelta) -> Bool {
        guard let layer, layer.index > 0 else {
            brokenLayer = .max
            return true
        }
        let longest = EncoderRateControl.longestQueue * (layer.isDiscardable ? 1 : 2)
        guard queue <= longest, layer.isSync || layer.index <= brokenLayer else {
            if !layer.isDiscardable { brokenLayer = min(brokenLayer, layer.index) }
            framesLeftOut += 1
            return false
        }
        if layer.index <= brokenLayer { brokenLayer = .max }
        return true
    }

    /// Packetizes a video frame.
    ///
    /// - Returns: The packets for the pacer; none when the frame's codec was not negotiated.
    func write(
        _ frame: EncodedVideoFrame, captureTime: Instant, at now: Instant, random: any RandomSource
    ) -> [RTPPacketReference] {
        // Moved out, so that it is modified without a copy.
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
            payloadType: codec.payloadType, timestamp: frame.timestamp, captureTime: captureTime,
            isHigherLayer: frame.temporalLayer.map { $0.index > 0 } ?? false)
        if frame.rotation != .none || hasWrittenFrame { description.extensions.rotation = frame.rotation }
        let isRepaired = stream.configuration.rtxSSRC != nil
        let isProtected = protection.isActive && canProtect(frame.format, isRepaired: isRepaired)
        let room =
            isProtected
            ? stream.maximumWrappedPayloadSize(for: description) : stream.maximumPayloadSize(for: description)
        references.removeAll(keepingCapacity: true)
        packetizer.begin(frame, maximumPayloadSize: room)
        while let reference = isProtected
            ? stream.writeWrapped(description, from: &packetizer, at: now)
            : stream.write(description, from: &packetizer, at: now)
        {
            references.append(reference)
        }
        guard let first = references.first else { return [] }
        hasWrittenFrame = true
        if frame.isKeyFrame {
            keyFrameSize = references.reduce(0) { $0 + $1.size }
            stream.noteKeyFrame(first, at: now)
        }
        if isProtected,
            let block = protection.frame(
                from: first, count: references.count, isKeyFrame: frame.isKeyFrame, at: now)
        {
            stream.appendParity(block, of: description, at: now, to: &references)
        }
        return references
    }

    /// Whether frames can be protected: not without picture IDs, since a receiver would take lost parity, which is not
    /// sent again, for lost media; nor where wrapped packets could not be sent again.
    private func canProtect(_ format: PayloadFormat, isRepaired: Bool) -> Bool {
        guard let agreed = parameters?.sendProtection else { return false }
        return (format == .vp8 || format == .vp9) && (!isRepaired || agreed.retransmissionPayloadType != nil)
    }

    /// Processes the remote peer's last report about the stream.
    func noteReport() {
        guard let remote = stream?.remote else { return }
        guard kind == .video else { return audioLoss.note(remote) }
        pictureLoss.note(remote)
        protection.update(pictureLoss, roundTrip: stream?.roundTripTime)
    }

    /// The padding packets to send behind a frame that serves as a probe.
    func padding(_ probe: ProbeSchedule.Probe) -> [RTPPacketReference] {
        references.removeAll(keepingCapacity: true)
        if probe.padding > 0 { stream?.appendPadding(probe.padding, of: probe.packetSize, to: &references) }
        return references
    }

    /// Writes an audio packet.
    ///
    /// - Parameter room: The bitrate for audio, without packet headers.
    /// - Returns: The packet for the pacer, and the number of its bytes used by redundant frames.
    func write(
        _ frame: EncodedAudioFrame, captureTime: Instant, room: Bitrate, at now: Instant
    ) -> (reference: RTPPacketReference, copies: Int)? {
        guard isAgreed, let codec = codec(of: frame.format) else { return nil }
        var description = RTPFrameDescription(
            payloadType: codec.payloadType, timestamp: frame.timestamp, captureTime: captureTime)
        description.extensions.audioLevel = PacketAudioLevel(hasVoice: frame.hasVoice, level: frame.level)
        let marker = nextPayload != frame.timestamp
        nextPayload = RTPTimestamp(frame.timestamp.rawValue &+ frame.duration)
        updateRedundancy(frame, codec, room)
        defer { remember(frame, codec) }
        let size = stream?.maximumPayloadSize(for: description) ?? 0
        if let type = codec.redundancyPayloadType, takeCopies(for: frame, within: size - frame.data.count) {
            description.payloadType = type
            let overhead = REDPayload.overhead(of: copies)
            let reference = stream?.write(description, isWhole: true, at: now) { memory in
                var writer = ByteWriter(memory)
                frame.data.withUnsafeBytes {
                    REDPayload.write($0, type: codec.payloadType, copies: copies, to: &writer)
                }
                return writer.overflowed ? nil : (writer.count, marker)
            }
            copiesSent += reference == nil ? 0 : copies.count
            return reference.map { ($0, overhead) }
        }
        let reference = frame.data.withUnsafeBytes {
            stream?.write(description, payload: $0, marker: marker, at: now)
        }
        return reference.map { ($0, 0) }
    }
}

// MARK: - Redundant audio

extension OutgoingMedia {
    /// The number of packets between decisions about redundancy.
    private static let packetsPerDecision = 10

    /// The loss that the codec's in-band FEC should repair, 0 to 1: none if packets repeat the frame before them.
    var expectedAudioLoss: Double { redundancy.plan.repeatsPrevious ? 0 : audioLoss.repairableByNext }

    private func updateRedundancy(_ frame: EncodedAudioFrame, _ codec: MediaSectionParameters.Codec, _ room: Bitrate) {
        guard codec.redundancyPayloadType != nil, frame.duration > 0 else { return redundancy.stop() }
        packetsUntilDecision -= 1
        guard packetsUntilDecision <= 0 else { return }
        packetsUntilDecision = Self.packetsPerDecision
        // The largest of the recent frames: speech will follow a pause, whose frames are small.
        let size = earlier.reduce(frame.data.count) { max($0, $1.data.count) }
        let bits = Int64(size) * 8 * Int64(codec.codec.clockRate) / Int64(frame.duration)
        redundancy.update(
            audioLoss, frames: Bitrate(bitsPerSecond: bits), room: room, codecRepairs: codec.hasInbandFEC)
    }

    private func remember(_ frame: EncodedAudioFrame, _ codec: MediaSectionParameters.Codec) {
        guard codec.redundancyPayloadType != nil else { return earlier.removeAll() }
        if earlier.count == AudioRedundancy.longestDistance { earlier.removeLast() }
        earlier.insert(frame, at: 0)
    }

    /// Collects the redundant frames for a packet, as far as they fit into `room` bytes.
    ///
    /// - Returns: Whether there are any.
    private func takeCopies(for frame: EncodedAudioFrame, within room: Int) -> Bool {
        copies.removeAll(keepingCapacity: true)
        let plan = redundancy.plan
        guard plan.frames > 0 else { return false }
        for index in (1...plan.frames).reversed() {
            let distance = index * plan.spacing
            guard distance <= earlier.count else { continue }
            let copied = earlier[distance - 1]
            // After a gap in the timestamps, the remote peer could not place the earlier frame.
            let offset = UInt32(distance) &* frame.duration
            guard copied.format == frame.format, frame.timestamp.rawValue &- copied.timestamp.rawValue == offset,
                let copy = REDPayload.Copy(timestampOffset: offset, data: copied.data)
            else { continue }
            copies.append(copy)
        }
        while !copies.isEmpty, REDPayload.overhead(of: copies) > room { copies.removeFirst() }
        return !copies.isEmpty
    }
}
