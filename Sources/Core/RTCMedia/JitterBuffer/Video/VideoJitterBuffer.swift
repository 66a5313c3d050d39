public import RTCWire

/// Turns the packets of a video stream, as they arrive, into frames in decoding order, each with the time to show it.
///
/// ```swift
/// buffer.insert(payload, packet, arrival: now)
/// while let picture = buffer.poll(at: now) { decode(picture.frame, show: picture.renderTime) }
/// if buffer.pollKeyFrameRequest(at: now) { /* send a PLI */ }
/// wakeUp(at: buffer.nextDeadline)
/// ```
///
/// A frame is returned when it can be decoded, and no earlier than its render time minus the decoding time. If an
/// earlier frame is missing, the buffer waits for its retransmission. It continues without it as soon as a later frame
/// that does not depend on it is due: a key frame, or one of a lower temporal layer. If none comes for a while, the
/// buffer requests a key frame, and still uses the missing packets if they come first.
///
/// Whatever arrives, it holds at most 2,048 packets, and its loops are bounded by that.
@usableFromInline package struct VideoJitterBuffer: Sendable {
    /// An additional delay that synchronizes video with audio (lip sync).
    @usableFromInline package var extraDelay = TimeDelta.zero
    /// The round trip to the sender, as far as it is known: how long it is worth to wait for a packet sent again.
    @usableFromInline package var roundTripTime = TimeDelta.milliseconds(100)
    package private(set) var statistics = VideoJitterBufferStatistics()

    /// The time to wait for reordered packets before frames are skipped.
    private static let reorderingTime = TimeDelta.milliseconds(20)
    /// The shortest time without packets that counts as a silence, and the same in relation to their average interval:
    /// on a narrow path each packet takes long.
    private static let shortestSilence = TimeDelta.milliseconds(20)
    private static let silenceIntervals = 1.5
    /// The time without packets after which no more key frames are requested.
    private static let keyFrameRequestTimeout = TimeDelta.seconds(5)
    /// The longest time that a frame is held, whatever timestamps and extensions say.
    private static let longestHold = TimeDelta.seconds(10)

    /// The missing packets before the last inserted one, if their repair would come too late: all belong to frames of
    /// higher temporal layers, without which the following frames can be decoded.
    @usableFromInline package private(set) var dispensable: Range<Int64>?

    private var packets = VideoPacketBuffer()
    private var gaps = TemporalLayerGaps()
    private var order = VideoFrameOrder()
    private var delay = VideoDelayEstimator()
    private var freezes = FreezeDetector()
    private var parameterSets = H264ParameterSets()
    private var decodeTime = TimeDelta.zero
    private var playoutDelay: PlayoutDelay?
    private var rotation = VideoRotation.none
    private var width = 0
    private var height = 0
    /// The time since which only a key frame helps.
    private var lostSince: Instant?
    private var lastKeyFrameRequest: Instant?
    /// The arrival times of the last packet, and of the last packet that announces a key frame.
    private var lastPacket: Instant?
    /// The last time without packets: the arrival of the packet that ended it, and its length.
    private var silence = (end: Instant.zero, length: TimeDelta.zero)
    /// The smoothed time between two packets, in nanoseconds.
    private var packetInterval = 0.0
    private var lastKeyFramePacket: Instant?

    /// - Parameter parameters: The stream's `a=fmtp` parameters: H.264's `sprop-parameter-sets`.
    @usableFromInline package init(parameters: FormatParameters = FormatParameters()) {
        if let sets = parameters["sprop-parameter-sets"] { parameterSets.note(description: sets) }
    }

    // MARK: Input

    /// Inserts a packet's payload, which may be empty: padding packets must be inserted too, since they have sequence
    /// numbers.
    ///
    /// - Returns: Whether ``poll(at:)`` and ``pollKeyFrameRequest(at:)`` may return something now. `false`, as after
    ///   most packets, means that no complete frame waits and nothing is missing, so they need not be called.
    @discardableResult
    @usableFromInline package mutating func insert(_ payload: RawSpan, _ packet: VideoPacketInfo, arrival: Instant)
        -> Bool
    {
        take(payload, packet, arrival: arrival)
        return !packets.frames.isEmpty || packets.hasGap || lostSince != nil
    }

    private mutating func take(_ payload: RawSpan, _ packet: VideoPacketInfo, arrival: Instant) {
        dispensable = nil
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
        if let missing = gaps.note(packet, descriptor), roundTripTime > targetDelay + Self.reorderingTime {
            dispensable = missing
        }
        noteInterval(until: arrival)
        if let delay = packet.playoutDelay, delay.minimum <= delay.maximum { playoutDelay = delay }
        if let descriptor {
            if descriptor.isKeyFrame { lastKeyFramePacket = arrival }
            if descriptor.hasParameterSets { noteParameterSets(payload, descriptor) }
        }
        for frame in packets.newlyComplete {
            statistics.framesReceived += 1
            if frame.isKeyFrame { statistics.keyFramesReceived += 1 }
            // Retransmitted frames are late for another reason.
            var interruption: VideoDelayEstimator.Silence?
            if frame.firstArrival <= silence.end, !frame.wasRetransmitted {
                interruption = .init(length: silence.length, isBefore: frame.firstArrival == silence.end)
            }
            delay.update(
                timestamp: frame.timestamp, arrival: arrival, firstArrival: frame.firstArrival, silence: interruption)
        }
    }

    /// Notes the time without packets before this one.
    private mutating func noteInterval(until arrival: Instant) {
        defer { lastPacket = arrival }
        guard let lastPacket else { return }
        let interval = arrival - lastPacket
        if interval > max(Self.shortestSilence, .nanoseconds(Int64(packetInterval * Self.silenceIntervals))) {
            silence = (arrival, interval)
        }
        // Bounded, so that a pause of the sender is soon forgotten.
        packetInterval += (Double(min(max(interval, .zero), .milliseconds(500)).nanoseconds) - packetInterval) / 32
    }

    /// Records how long decoding a frame took, so that later frames are returned that much earlier.
    @usableFromInline package mutating func didDecode(in duration: TimeDelta) {
        let duration = min(max(duration, .zero), .milliseconds(100))
        // Rises nine times as fast as it falls, so it settles where nine of ten frames are in time. A single slow
        // frame, such as a key frame, has little effect.
        decodeTime =
            duration > decodeTime
            ? min(duration, decodeTime + .microseconds(900)) : max(duration, decodeTime - .microseconds(100))
    }

    /// Discards the buffered packets and begins again, as for another stream. Statistics and settings are kept.
    @usableFromInline package mutating func reset() {
        discard(packets.removeAll())
        order.reset()
        gaps = TemporalLayerGaps()
        delay = VideoDelayEstimator()
        // The delay was requested by the previous sender or stream.
        playoutDelay = nil
        lostSince = nil
        lastKeyFramePacket = nil
    }

    // MARK: Output

    /// Returns the next frame if it is due. Call it until it returns `nil`, after each packet for which
    /// ``insert(_:_:arrival:)`` returns `true`, and at ``nextDeadline``.
    @usableFromInline package mutating func poll(at now: Instant) -> AssembledVideoFrame? {
        while true {
            dropUndecodable(at: now)
            guard let candidate else { return nil }
            let frame = packets.frames[candidate.index]
            guard release(of: candidate, renderedAt: renderTime(of: frame, at: now)) <= now else { return nil }
            if let picture = take(frame, isDirectlyNext: candidate.isDirectlyNext, at: now) { return picture }
        }
    }

    /// When to poll next if no packet arrives before; `nil` for never.
    @usableFromInline package var nextDeadline: Instant? {
        guard let candidate else { return keyFrameRequestTime(hasCandidate: false) }
        return release(of: candidate, renderedAt: plannedRenderTime(of: packets.frames[candidate.index]))
    }

    /// Whether it is time to ask the sender for a key frame. The request counts as made; the next is due when no key
    /// frame has begun to arrive a round trip later.
    @usableFromInline package mutating func pollKeyFrameRequest(at now: Instant) -> Bool {
        guard let due = keyFrameRequestTime(hasCandidate: candidate != nil), due <= now else { return false }
        lastKeyFrameRequest = now
        statistics.keyFramesRequested += 1
        return true
    }

    /// Whether nothing can be decoded before the next key frame.
    @usableFromInline package var needsKeyFrame: Bool { order.needsKeyFrame || lostSince != nil }

    /// The lowest number of a packet that is still useful: earlier ones need not be requested any more. `nil` before
    /// the first packet.
    @usableFromInline package var oldestNeededSequenceNumber: Int64? { packets.start }

    /// The target delay from a frame's arrival on a path without jitter to its rendering, decoding included.
    @usableFromInline package var targetDelay: TimeDelta {
        var target = delay.wait + decodeTime
        if let playoutDelay { target = min(max(target, playoutDelay.minimum), playoutDelay.maximum) }
        return min(target + max(extraDelay, .zero), Self.longestHold)
    }

    // MARK: The next frame

    private struct Candidate {
        /// The index in the list of complete frames.
        var index: Int
        var isDirectlyNext: Bool
        /// The time until which earlier frames are waited for.
        var waitsUntil: Instant?
    }

    /// The first frame that can be decoded.
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

    /// Drops frames that are next in order but can never be decoded.
    private mutating func dropUndecodable(at now: Instant) {
        while let frame = packets.frames.first, packets.isDirectlyNext(frame.first),
            case .never = order.verdict(of: frame, isDirectlyNext: true)
        {
            order.skip(frame)
            discard(packets.removeAll(through: frame.last))
            // A loss in a higher layer affects that layer only.
            guard frame.descriptor.temporalLayer ?? 0 == 0, !frame.isDiscardable else { continue }
            lostSince = lostSince ?? now
            // If frames list their references, some may still be decodable without this one.
            if frame.descriptor.references == nil { order.reset() }
        }
    }

    /// - Returns: `nil` when the frame turns out to be unusable.
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
        // Parameter sets alone; they were stored on arrival.
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

    // MARK: Timing

    /// The render time regardless of the current time.
    private func plannedRenderTime(of frame: CompleteVideoFrame) -> Instant {
        // (0, 0) means to render at once (playout delay extension), which overrides the estimate.
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
        // If the buffer is nearly full, the renderer does the waiting.
        if packets.isCrowded { return min(release, packets.frames[candidate.index].completed) }
        return max(release, candidate.waitsUntil ?? release)
    }

    // MARK: Key frames

    /// The time to wait for missing packets before a key frame is requested: two retransmission attempts.
    private var longestWait: TimeDelta {
        min(max(roundTripTime * 2 + .milliseconds(100), .milliseconds(200)), .milliseconds(500))
    }

    /// The time at which to request a key frame if nothing changes; `nil` when none is needed.
    private func keyFrameRequestTime(hasCandidate: Bool) -> Instant? {
        // A decodable frame comes first.
        guard !hasCandidate, var due = keyFrameNeed else { return nil }
        if let lastKeyFrameRequest {
            due = max(due, lastKeyFrameRequest + max(roundTripTime + .milliseconds(100), .milliseconds(200)))
        }
        // A key frame is arriving: it gets the usual time to complete.
        if let lastKeyFramePacket { due = max(due, lastKeyFramePacket + longestWait) }
        // A silent sender is not asked until it sends again.
        if let lastPacket, due > lastPacket + Self.keyFrameRequestTimeout { return nil }
        return due
    }

    private var keyFrameNeed: Instant? {
        if let lostSince { return lostSince }
        if let missingSince = packets.missingSince { return missingSince + longestWait }
        guard let stuck = packets.frames.first else { return nil }
        // Nothing is missing, yet it cannot be decoded: the stream was joined midway.
        return stuck.completed
    }

    // MARK: Assembly

    /// - Returns: `nil` when the frame lacks parameter sets that never arrived.
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

    /// Drops everything before the newest key frame, or everything if there is none.
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
