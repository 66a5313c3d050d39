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
    /// What the other side's reports say of the sound that is sent.
    var soundLoss = SoundLoss()
    /// Which earlier frames packets of sound carry along, and those that they may, the newest first.
    private var redundancy = SoundRedundancy()
    private var earlier: [EncodedAudioFrame] = []
    private var copies: [REDPayload.Copy] = []
    /// Packets of sound until that is decided anew.
    private var untilDecision = 0
    /// Earlier frames that were sent along.
    private(set) var copiesSent = 0
    /// References of the frame that is being written.
    private var references: [RTPPacketReference] = []
    private var hasWrittenFrame = false
    /// Bytes of the last key frame's packets.
    private(set) var keyFrameSize = 0
    /// Until when pictures before the next key frame are left out.
    private var keyFrameDeadline: Instant?

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

    /// Leaves pictures out until the next key frame: those before it refer to some that were taken back.
    func awaitKeyFrame(at now: Instant) { keyFrameDeadline = now + Self.longestKeyFrameWait }

    /// Whether a picture is to be sent. An encoder that makes no key frame is not waited for any longer than a second.
    func takes(isKeyFrame: Bool, at now: Instant) -> Bool {
        guard let deadline = keyFrameDeadline else { return true }
        guard isKeyFrame || now >= deadline else { return false }
        keyFrameDeadline = nil
        return true
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
        if frame.rotation != .none || hasWrittenFrame { description.extensions.rotation = frame.rotation }
        let room = stream.maximumPayloadSize(for: description)
        references.removeAll(keepingCapacity: true)
        packetizer.begin(frame, maximumPayloadSize: room)
        while let reference = stream.write(description, from: &packetizer, at: now) { references.append(reference) }
        if !references.isEmpty {
            hasWrittenFrame = true
            if frame.isKeyFrame, let first = references.first {
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
    ///
    /// - Parameter room: What sound may take, without packet headers.
    /// - Returns: What to hand to the pacer, and how many of its bytes are for copies of earlier frames.
    func write(
        _ frame: EncodedAudioFrame, captureTime: Instant, room: Bitrate, at now: Instant
    ) -> (reference: RTPPacketReference, copies: Int)? {
        guard isAgreed, let codec = codec(of: frame.format) else { return nil }
        var description = RTPFrameDescription(
            payloadType: codec.payloadType, timestamp: frame.timestamp, captureTime: captureTime)
        description.extensions.audioLevel = PacketAudioLevel(hasVoice: frame.hasVoice, level: frame.level)
        let marker = nextPayload != frame.timestamp
        nextPayload = RTPTimestamp(frame.timestamp.rawValue &+ frame.duration)
        decideOnCopies(frame, codec, room)
        defer { remember(frame, codec) }
        let size = stream?.maximumPayloadSize(for: description) ?? 0
        if let type = codec.redundancyPayloadType, takeCopies(for: frame, within: size - frame.data.count) {
            description.payloadType = type
            let overhead = REDPayload.overhead(of: copies)
            let reference = stream?.write(description, at: now) { memory in
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

// MARK: - Copies of earlier sound

extension OutgoingMedia {
    /// How often it is decided what packets carry along.
    private static let packetsPerDecision = 10

    /// The loss that the codec's own copies of each packet are to repair, 0 to 1: none where packets carry the one before them.
    var expectedSoundLoss: Double { redundancy.plan.repeatsPrevious ? 0 : soundLoss.repairableByNext }

    private func decideOnCopies(_ frame: EncodedAudioFrame, _ codec: MediaSectionParameters.Codec, _ room: Bitrate) {
        guard codec.redundancyPayloadType != nil, frame.duration > 0 else { return redundancy.stop() }
        untilDecision -= 1
        guard untilDecision <= 0 else { return }
        untilDecision = Self.packetsPerDecision
        // The largest of what would be repeated: a pause takes nothing, and speech is about to follow it.
        let size = earlier.reduce(frame.data.count) { max($0, $1.data.count) }
        let bits = Int64(size) * 8 * Int64(codec.codec.clockRate) / Int64(frame.duration)
        redundancy.update(soundLoss, frames: Bitrate(bitsPerSecond: bits), room: room)
    }

    private func remember(_ frame: EncodedAudioFrame, _ codec: MediaSectionParameters.Codec) {
        guard codec.redundancyPayloadType != nil else { return earlier.removeAll() }
        if earlier.count == SoundRedundancy.longestDistance { earlier.removeLast() }
        earlier.insert(frame, at: 0)
    }

    /// Takes the earlier frames that a packet carries along, as far as they fit into so many bytes.
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
            // Before a pause there is something else, whose place the other side could not tell.
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

extension Optional {
    /// Takes the value out, so that it can be changed without being copied.
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
