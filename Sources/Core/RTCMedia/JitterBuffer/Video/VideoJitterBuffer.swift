public import RTCWire

/// Turns the packets of a video stream, as they arrive, into pictures in the order of decoding, each with the time to
/// show it.
///
/// ```swift
/// buffer.insert(payload, packet, arrival: now)
/// while let picture = buffer.poll(at: now) { decode(picture.frame, show: picture.renderTime) }
/// if buffer.pollKeyFrameRequest(at: now) { /* send a PLI */ }
/// wakeUp(at: buffer.nextDeadline)
/// ```
///
/// A picture is given out when it can be decoded, and no earlier than its time less what decoding takes. When something
/// before it is missing, the buffer waits for it, since the RTP stream asks for it again. It goes on without it as soon
/// as a later picture can do without it and is due: a key frame, or one of a lower temporal layer. When that does not
/// come for a while, it asks for a key frame, and still uses what was missing if that comes first.
///
/// Whatever arrives, it holds at most 2,048 packets, and its loops are bounded by that.
public struct VideoJitterBuffer: Sendable {
    /// Held back in addition, so that the picture waits for sound (lip sync).
    public var extraDelay = TimeDelta.zero
    /// The round trip to the sender, as far as it is known: how long it is worth to wait for a packet sent again.
    public var roundTripTime = TimeDelta.milliseconds(100)
    public private(set) var statistics = VideoJitterBufferStatistics()

    /// How long packets that overtake each other are waited for before something is passed over.
    private static let reorderingTime = TimeDelta.milliseconds(20)
    private static let shortestSilence = TimeDelta.milliseconds(20)
    /// How long a sender of which nothing comes is asked for a key frame.
    private static let patience = TimeDelta.seconds(5)
    /// No picture is held longer, whatever timestamps and extensions say.
    private static let longestHold = TimeDelta.seconds(10)

    private var packets = VideoPacketBuffer()
    private var order = VideoFrameOrder()
    private var delay = VideoDelayEstimator()
    private var freezes = FreezeDetector()
    private var parameterSets = H264ParameterSets()
    private var decodeTime = TimeDelta.zero
    private var playoutDelay: PlayoutDelay?
    private var rotation = VideoRotation.none
    private var width = 0
    private var height = 0
    /// Since when it is known that only a key frame helps.
    private var lostSince: Instant?
    private var lastKeyFrameRequest: Instant?
    /// When the last packet came, and the last that announces a key frame.
    private var lastPacket: Instant?
    /// The last time in which nothing came, and the packet that ended it.
    private var silence = (end: Instant.zero, length: TimeDelta.zero)
    private var lastKeyFramePacket: Instant?

    /// - Parameter parameters: What `a=fmtp` of the stream says: H.264's `sprop-parameter-sets`.
    public init(parameters: FormatParameters = FormatParameters()) {
        if let sets = parameters["sprop-parameter-sets"] { parameterSets.note(description: sets) }
    }

    // MARK: In

    /// Takes a packet's payload, which may be empty: a padding packet must be told too, since it takes a number.
    ///
    /// - Returns: Whether ``poll(at:)`` and ``pollKeyFrameRequest(at:)`` may have an answer now. Where it is `false`, as
    ///   after most packets, no complete picture waits and nothing is missing, so they need not be asked.
    @discardableResult
    public mutating func insert(_ payload: RawSpan, _ packet: VideoPacketInfo, arrival: Instant) -> Bool {
        take(payload, packet, arrival: arrival)
        return !packets.frames.isEmpty || packets.hasGap || lostSince != nil
    }

    private mutating func take(_ payload: RawSpan, _ packet: VideoPacketInfo, arrival: Instant) {
        var descriptor: VideoPayloadDescriptor?
        if payload.byteCount > 0 {
            descriptor = VideoDepacketizer.descriptor(of: payload, format: packet.format)
            guard descriptor != nil else {
                statistics.packetsMalformed += 1
                return
            }
        }
        switch packets.insert(payload, descriptor, packet, arrival: arrival) {
        case .stored: break
        case .duplicate:
            statistics.packetsDuplicated += 1
            return
        case .late:
            statistics.packetsDiscarded += 1
            return
        case .full:
            makeRoom(at: arrival)
            guard case .stored = packets.insert(payload, descriptor, packet, arrival: arrival) else {
                statistics.packetsDiscarded += 1
                return
            }
        }
        if let lastPacket, arrival - lastPacket > Self.shortestSilence {
            silence = (arrival, arrival - lastPacket)
        }
        lastPacket = arrival
        if let delay = packet.playoutDelay, delay.minimum <= delay.maximum { playoutDelay = delay }
        if let descriptor {
            if descriptor.isKeyFrame { lastKeyFramePacket = arrival }
            if descriptor.hasParameterSets { noteParameterSets(payload, descriptor) }
        }
        for frame in packets.newlyComplete {
            statistics.framesReceived += 1
            if frame.isKeyFrame { statistics.keyFramesReceived += 1 }
            // What is sent again is late for another reason.
            let wasHeldUp = frame.firstArrival <= silence.end && !frame.wasRetransmitted
            delay.update(
                timestamp: frame.timestamp, arrival: arrival, silence: wasHeldUp ? silence.length : .zero)
        }
    }

    /// Says how long the decoder took for a picture, so that the next are given out that much before their time.
    public mutating func didDecode(in duration: TimeDelta) {
        let duration = min(max(duration, .zero), .milliseconds(100))
        // Nine times as fast up as down, which settles where nine of ten pictures are in time. A single slow one, such
        // as a key frame, hardly moves it.
        decodeTime =
            duration > decodeTime
            ? min(duration, decodeTime + .microseconds(900)) : max(duration, decodeTime - .microseconds(100))
    }

    /// Forgets what waits and begins anew, as for another stream. Statistics and settings stay.
    public mutating func reset() {
        discard(packets.removeAll())
        order.reset()
        delay = VideoDelayEstimator()
        // It was the sender's wish, and the sender is another one or has begun anew.
        playoutDelay = nil
        lostSince = nil
        lastKeyFramePacket = nil
    }

    // MARK: Out

    /// The next picture, if it is time for it. To be called until it answers `nil`, after each packet at which
    /// ``insert(_:_:arrival:)`` says that it may, and at ``nextDeadline``.
    public mutating func poll(at now: Instant) -> AssembledVideoFrame? {
        while true {
            passOverUndecodable(at: now)
            guard let candidate else { return nil }
            let frame = packets.frames[candidate.index]
            guard release(of: candidate, renderedAt: renderTime(of: frame, at: now)) <= now else { return nil }
            if let picture = take(frame, isDirectlyNext: candidate.isDirectlyNext, at: now) { return picture }
        }
    }

    /// When to poll next if no packet comes before; `nil` for not at all.
    public var nextDeadline: Instant? {
        guard let candidate else { return keyFrameRequestTime(hasCandidate: false) }
        return release(of: candidate, renderedAt: plannedRenderTime(of: packets.frames[candidate.index]))
    }

    /// Whether it is time to ask the sender for a key frame. The request counts as made; the next is due when no key
    /// frame has begun to arrive a round trip later.
    public mutating func pollKeyFrameRequest(at now: Instant) -> Bool {
        guard let due = keyFrameRequestTime(hasCandidate: candidate != nil), due <= now else { return false }
        lastKeyFrameRequest = now
        statistics.keyFramesRequested += 1
        return true
    }

    /// Whether nothing can be decoded until a key frame comes.
    public var needsKeyFrame: Bool { order.needsKeyFrame || lostSince != nil }

    /// The lowest number of a packet that is still of use: those before it need not be asked for any more. `nil` before
    /// the first packet.
    public var oldestNeededSequenceNumber: Int64? { packets.start }

    /// The delay aimed at between a picture's arrival on an unhindered path and its showing, decoding included.
    public var targetDelay: TimeDelta {
        var target = delay.wait + decodeTime
        if let playoutDelay { target = min(max(target, playoutDelay.minimum), playoutDelay.maximum) }
        return min(target + max(extraDelay, .zero), Self.longestHold)
    }

    // MARK: Which picture is next

    private struct Candidate {
        /// In the list of complete pictures.
        var index: Int
        var isDirectlyNext: Bool
        /// Until when what is before it is waited for.
        var waitsUntil: Instant?
    }

    /// The first picture that can be decoded.
    private var candidate: Candidate? {
        for index in packets.frames.indices {
            let isDirectlyNext = packets.isDirectlyNext(packets.frames[index].first)
            guard case .decodable(let isSkip) = order.verdict(of: packets.frames[index], isDirectlyNext: isDirectlyNext)
            else { continue }
            let waitsUntil = isSkip ? packets.missingSince.map { $0 + Self.reorderingTime } : nil
            return Candidate(index: index, isDirectlyNext: isDirectlyNext, waitsUntil: waitsUntil)
        }
        return nil
    }

    /// Drops what is next by its number and can never be decoded.
    private mutating func passOverUndecodable(at now: Instant) {
        while let frame = packets.frames.first, packets.isDirectlyNext(frame.first),
            case .never = order.verdict(of: frame, isDirectlyNext: true)
        {
            order.skip(frame)
            discard(packets.removeAll(through: frame.last))
            // What is lost in a higher layer costs that layer alone.
            guard frame.descriptor.temporalLayer ?? 0 == 0, !frame.isDiscardable else { continue }
            lostSince = lostSince ?? now
            // Where pictures name what they refer to, some may still do without this one.
            if frame.descriptor.references == nil { order.reset() }
        }
    }

    /// - Returns: `nil` when the picture cannot be used after all.
    private mutating func take(
        _ frame: CompleteVideoFrame, isDirectlyNext: Bool, at now: Instant
    ) -> AssembledVideoFrame? {
        let data = frame.isWellFormed ? assemble(frame) : nil
        let renderTime = renderTime(of: frame, at: now)
        let removed = packets.removeAll(through: frame.last)
        statistics.framesDropped += max(removed.frames - 1, 0)
        statistics.packetsDiscarded += max(removed.packets - frame.packetCount, 0)
        guard let data else {
            statistics.framesDropped += 1
            if !frame.isDiscardable {
                order.reset()
                lostSince = lostSince ?? now
            }
            return nil
        }
        // Parameter sets by themselves: they were noted when they came.
        guard frame.hasPicture else { return nil }
        order.deliver(frame, isDirectlyNext: isDirectlyNext)
        lostSince = nil
        if frame.isKeyFrame {
            lastKeyFrameRequest = nil
            lastKeyFramePacket = nil
        }
        if let turn = frame.rotation { rotation = turn }
        noteEmitted(frame, renderTime: renderTime, at: now)
        return AssembledVideoFrame(
            frame: EncodedVideoFrame(
                format: frame.format, data: data, isKeyFrame: frame.isKeyFrame, timestamp: frame.timestamp,
                width: width, height: height, rotation: rotation),
            renderTime: renderTime, firstSequenceNumber: frame.first, lastSequenceNumber: frame.last,
            firstPacketArrival: frame.firstArrival, completed: frame.completed,
            wasRetransmitted: frame.wasRetransmitted)
    }

    private mutating func noteEmitted(_ frame: CompleteVideoFrame, renderTime: Instant, at now: Instant) {
        freezes.note(renderTime, in: &statistics)
        statistics.jitterBufferEmittedCount += 1
        statistics.jitterBufferDelay = statistics.jitterBufferDelay + max(now - frame.firstArrival, .zero)
        statistics.jitterBufferTargetDelay = statistics.jitterBufferTargetDelay + targetDelay
        statistics.jitterBufferMinimumDelay = statistics.jitterBufferMinimumDelay + delay.wait + decodeTime
        if frame.packetCount > 1 {
            statistics.framesAssembledFromMultiplePackets += 1
            statistics.totalAssemblyTime = statistics.totalAssemblyTime + (frame.completed - frame.firstArrival)
        }
    }

    // MARK: When

    /// Without a look at the time.
    private func plannedRenderTime(of frame: CompleteVideoFrame) -> Instant {
        // (0, 0) means at once (playout delay extension): what was before has no say.
        if let playoutDelay, playoutDelay.maximum == .zero, extraDelay <= .zero { return frame.completed }
        guard let earliest = delay.earliestArrival(of: frame.timestamp) else { return frame.completed }
        return min(max(earliest + targetDelay, frame.completed), frame.completed + Self.longestHold)
    }

    private func renderTime(of frame: CompleteVideoFrame, at now: Instant) -> Instant {
        max(plannedRenderTime(of: frame), now)
    }

    private func release(of candidate: Candidate, renderedAt time: Instant) -> Instant {
        // A wait of less than a millisecond is not worth a timer.
        let release = time - decodeTime - .milliseconds(1)
        // Whoever shows it waits instead, when a hold is longer than there is room for.
        if packets.isCrowded { return min(release, packets.frames[candidate.index].completed) }
        return max(release, candidate.waitsUntil ?? release)
    }

    // MARK: Key frames

    /// How long something missing is waited for before a key frame is asked for: two attempts to have it sent again.
    private var longestWait: TimeDelta {
        min(max(roundTripTime * 2 + .milliseconds(100), .milliseconds(200)), .milliseconds(500))
    }

    /// When to ask for a key frame, if nothing changes; `nil` when there is no need.
    private func keyFrameRequestTime(hasCandidate: Bool) -> Instant? {
        // What can be decoded comes first.
        guard !hasCandidate, var due = keyFrameNeed else { return nil }
        if let lastKeyFrameRequest {
            due = max(due, lastKeyFrameRequest + max(roundTripTime + .milliseconds(100), .milliseconds(200)))
        }
        // One is on its way: it gets the time that anything gets.
        if let lastKeyFramePacket { due = max(due, lastKeyFramePacket + longestWait) }
        // Who sends nothing has ceased, and is asked again when it begins.
        if let lastPacket, due > lastPacket + Self.patience { return nil }
        return due
    }

    private var keyFrameNeed: Instant? {
        if let lostSince { return lostSince }
        if let missingSince = packets.missingSince { return missingSince + longestWait }
        guard let stuck = packets.frames.first else { return nil }
        // Nothing is missing, and yet it cannot be decoded: a stream joined in its middle.
        return stuck.completed
    }

    // MARK: Putting together

    /// - Returns: `nil` when the picture lacks parameter sets that never came.
    private mutating func assemble(_ frame: CompleteVideoFrame) -> [UInt8]? {
        var data: [UInt8] = []
        data.reserveCapacity(frame.byteCount)
        packets.forEachPacket(of: frame) { slot, payload in
            VideoDepacketizer.append(payload, slot.descriptor, to: &data)
        }
        guard frame.isKeyFrame else { return data }
        guard frame.format == .h264 else {
            if frame.descriptor.width > 0, frame.descriptor.height > 0 {
                width = Int(frame.descriptor.width)
                height = Int(frame.descriptor.height)
            }
            return data
        }
        guard let (prefix, size) = data.withUnsafeBytes({ parameterSets.completion(of: $0) }) else { return nil }
        if let size {
            width = size.width
            height = size.height
        }
        return prefix.isEmpty ? data : prefix + data
    }

    private mutating func noteParameterSets(_ payload: RawSpan, _ descriptor: VideoPayloadDescriptor) {
        payload.withUnsafeBytes { payload in
            let bytes = UnsafeRawBufferPointer(rebasing: payload[descriptor.bytes])
            switch descriptor.packaging {
            case .unit: parameterSets.note(bytes)
            case .aggregate:
                H264Depacketizer.forEachUnit(inAggregate: bytes) { unit in
                    parameterSets.note(UnsafeRawBufferPointer(rebasing: bytes[unit]))
                }
            case .firstFragment, .fragment, .plain: break
            }
        }
    }

    // MARK: Bookkeeping

    /// Gives up what waits, or all that is before the newest key frame if there is one.
    private mutating func makeRoom(at now: Instant) {
        if let key = packets.frames.last(where: { $0.isKeyFrame }), let first = packets.frames.first,
            first.first < key.first
        {
            discard(packets.removeAll(through: key.first - 1))
        } else {
            discard(packets.removeAll())
            lostSince = lostSince ?? now
        }
        order.reset()
    }

    private mutating func discard(_ removed: (packets: Int, frames: Int)) {
        statistics.packetsDiscarded += removed.packets
        statistics.framesDropped += removed.frames
    }
}
