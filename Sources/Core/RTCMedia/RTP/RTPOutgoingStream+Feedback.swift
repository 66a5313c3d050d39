public import RTCWire

/// The reception of a sent stream, as reported by the peer's receiver.
@usableFromInline package struct RemoteReception: Sendable, Hashable {
    /// 0 to 1, of the packets since its report before.
    @usableFromInline package var fractionLost: Double
    @usableFromInline package var packetsLost: Int32
    /// The number of packets sent up to the newest one that the report covers; the reported losses are among these.
    @usableFromInline package var packetsReported: UInt64
    @usableFromInline package var jitter: TimeDelta
    /// The round trip that this report measured, `nil` when it refers to no sender report.
    @usableFromInline package var roundTripTime: TimeDelta?
    /// When it arrived.
    @usableFromInline package var time: Instant
}

extension RTPOutgoingStream {
    /// The most retransmissions of a packet.
    static let maximumRetransmissions: UInt8 = 10
    /// The round trip assumed before a measurement, and the least interval between retransmissions.
    static let assumedRoundTripTime = TimeDelta.milliseconds(50)
    static let minimumRetransmissionInterval = TimeDelta.milliseconds(5)
    /// The age at which a packet of a higher temporal layer is no longer worth a retransmission: the receiver has continued
    /// without it.
    static let longestLayerRepair = TimeDelta.milliseconds(150)
    /// The minimum interval between requested key frames.
    static let keyFrameInterval = TimeDelta.milliseconds(250)
    /// The longest time for which a PLI is assumed to have crossed the last key frame.
    static let longestKeyFrameWait = TimeDelta.seconds(1)
    /// The least interval between key frames in place of retransmissions: each is as large as several frames.
    static let keyFrameReplacementInterval = TimeDelta.seconds(2)

    /// Whether this stream, or its retransmissions, is what `ssrc` names.
    @usableFromInline package func owns(_ ssrc: SynchronizationSource) -> Bool {
        ssrc == configuration.ssrc || ssrc == configuration.rtxSSRC
    }

    /// Takes a report block in that names this stream or its retransmissions.
    ///
    /// - Parameter clock: The one that the sender reports were made with.
    package mutating func handle(_ block: ReportBlock, at now: Instant, clock: NTPClock) {
        if block.ssrc == configuration.rtxSSRC {
            isRTXKnownToPeer = true
            return
        }
        guard block.ssrc == configuration.ssrc else { return }
        isKnownToPeer = true
        var reception = RemoteReception(
            fractionLost: Double(block.fractionLost) / 256, packetsLost: block.cumulativeLost,
            packetsReported: packetsReported(in: block),
            jitter: RTPClock.time(Int64(block.jitter), clockRate: configuration.clockRate), time: now)
        if block.lastSenderReport != 0 {
            // RFC 3550, section 6.4.1: A - LSR - DLSR in 2⁻¹⁶ s, modulo 2³².
            let units =
                clock.timestamp(at: now).middle &- block.lastSenderReport &- block.delaySinceLastSenderReport
            // A small negative value is a rounding error; larger ones, and round trips of over a minute, are invalid.
            let signed = Int32(bitPattern: units)
            if signed > -66, signed < 60 << 16 {
                let measured = TimeDelta(nanoseconds: (max(Int64(signed), 1) * 1_000_000_000) >> 16)
                reception.roundTripTime = measured
                roundTripTime = roundTripTime.map { ($0 * 7 + measured) / 8 } ?? measured
            }
        }
        remote = reception
    }

    /// Never decreases: reports may arrive out of order, or be wrong.
    private func packetsReported(in block: ReportBlock) -> UInt64 {
        let before = remote?.packetsReported ?? 0
        let newest = RTPSequenceNumber(UInt16(truncatingIfNeeded: block.highestSequenceNumber))
        let distance = Int64(newest.distance(to: nextSequenceNumber))
        guard distance > 0, distance <= history.end else { return before }
        return max(before, UInt64(history.end - distance + 1))
    }

    /// Processes a NACK, and appends the packets to retransmit to `references`, for the pacer.
    ///
    /// A packet is retransmitted at most once in a round trip and ten times in all. All retransmissions together never
    /// exceed the bytes that were sent for the first time by more than 32 KiB, nor 256 KiB at once: a flood of NACKs
    /// cannot cause a flood of packets. Packets that already wait for retransmission, or were sent before the newest
    /// key frame, are not retransmitted, nor is error correction, which would come too late. A packet of a higher temporal
    /// layer is retransmitted once, and only if it would arrive in time.
    ///
    /// - Parameter queue: The queue on the path, by which the round trip is longer than measured.
    @usableFromInline package mutating func handle(
        _ nack: borrowing GenericNACK, queue: TimeDelta = .zero, at now: Instant, references: inout [RTPPacketReference]
    ) {
        guard nack.mediaSSRC == configuration.ssrc, configuration.answersNACKs else { return }
        statistics.nackCount += 1
        let interval =
            max(roundTripTime ?? Self.assumedRoundTripTime, Self.minimumRetransmissionInterval)
            + min(queue, .seconds(1))
        var numbers = copy nack
        while let number = numbers.next() {
            // The newest index with that number: within half of the number space before the next one.
            let distance = number.distance(to: nextSequenceNumber)
            let index = history.end - Int64(distance)
            guard distance > 0, history.contains(index), index >= repairStart, let lastSent = history[index].lastSent,
                !history[index].isErrorCorrection, configuration.rtxSSRC == nil || rtxPayloadType(of: index) != nil
            else {
                statistics.refusedRetransmissions += 1
                continue
            }
            let record = history[index]
            if record.isHigherLayer,
                record.retransmissions > 0 || now - lastSent + min(queue, .seconds(1)) > Self.longestLayerRepair
            {
                statistics.refusedRetransmissions += 1
                continue
            }
            // The first retransmission is immediate: the receiver has already seen a later packet.
            guard !record.isWaiting, record.retransmissions == 0 || now - lastSent >= interval,
                record.retransmissions < Self.maximumRetransmissions, retransmissionCredit >= record.size
            else {
                statistics.refusedRetransmissions += 1
                continue
            }
            retransmissionCredit -= record.size
            history[index].retransmissions += 1
            history[index].isWaiting = true
            references.append(
                RTPPacketReference(index: index, size: retransmissionSize(of: record), isRetransmission: true))
        }
    }

    /// The size of a retransmission in bytes, at most.
    func retransmissionSize(of record: RTPPacketHistory.Record) -> Int {
        guard configuration.rtxSSRC != nil else { return record.size }
        return min(record.size + 2 + (isRTXKnownToPeer ? 0 : namesSize), configuration.maximumPacketSize)
    }

    /// Records that a key frame was written: a receiver of it needs no earlier packets.
    ///
    /// - Parameter first: The first of its packets.
    @usableFromInline package mutating func noteKeyFrame(_ first: RTPPacketReference, at now: Instant) {
        repairStart = first.index
        keyFrameEnd = history.end
        if history.contains(history.end - 1) { history[history.end - 1].endsKeyFrame = true }
        lastKeyFrame = now
    }

    /// Stops repairing the packets sent so far: a key frame is cheaper.
    ///
    /// - Parameter onAnotherPath: Whether packets from now on take a path that needs a key frame, however recently one
    ///   replaced repairs.
    /// - Returns: Whether the encoder should make a key frame: not if it has just made one.
    @usableFromInline package mutating func replaceRetransmissionsByKeyFrame(
        onAnotherPath: Bool = false, at now: Instant
    ) -> Bool {
        if !onAnotherPath, let lastKeyFrameReplacement, now - lastKeyFrameReplacement < Self.keyFrameReplacementInterval
        {
            return false
        }
        // A key frame that was made a moment ago left on the path before.
        if onAnotherPath { lastKeyFrameRequest = nil }
        guard admitKeyFrameRequest(at: now) else { return false }
        lastKeyFrameReplacement = now
        repairStart = history.end
        return true
    }

    /// Removes the frames of which nothing was sent, to replace them by a key frame. Their sequence numbers are used for
    /// the next packets, so that the receiver does not miss them. A partly sent frame is sent to its end: the receiver
    /// takes a frame that is followed by another one for complete.
    ///
    /// - Returns: Whether the encoder should make a key frame: not if it has just made one, or the newest one has not
    ///   been sent yet.
    @usableFromInline package mutating func withdraw(at now: Instant) -> Bool {
        guard history.firstUnsentFrame < history.end, keyFrameEnd <= history.firstUnsent,
            replaceRetransmissionsByKeyFrame(at: now)
        else {
            return false
        }
        removeUnsentFrames()
        return true
    }

    /// Whether a key frame has made a packet unnecessary, or will.
    @usableFromInline package func isSuperseded(_ reference: RTPPacketReference) -> Bool {
        reference.index < repairStart
    }

    /// Gives up a superseded packet that has not left. Its number stays used, so that the receiver sees the gap, and takes
    /// no part of a frame for the whole.
    @usableFromInline package mutating func abandon(_ reference: RTPPacketReference, at now: Instant) {
        guard history.contains(reference.index), isSuperseded(reference) else { return }
        history[reference.index].isWaiting = false
        // Only so that it grows old like the others; it is never repaired.
        history[reference.index].lastSent = history[reference.index].lastSent ?? now
    }

    /// Whether a packet has not been removed.
    @usableFromInline package func keeps(_ reference: RTPPacketReference) -> Bool { history.contains(reference.index) }

    /// Removes the frames of which nothing was sent, together with the numbers of their packets.
    @usableFromInline package mutating func removeUnsentFrames() {
        history.removeUnsentFrames()
        repairStart = min(repairStart, history.end)
        keyFrameEnd = min(keyFrameEnd, history.end)
    }

    /// Processes a PLI.
    ///
    /// - Parameter queue: The packets that wait here, and the queue on the path. While the last key frame may still be
    ///   in flight, the PLI was sent before it arrived; a receiver that misses it asks again.
    /// - Returns: Whether the encoder should make a key frame: not if it has just made one.
    package mutating func handle(
        _ indication: PictureLossIndication, queue: TimeDelta = .zero, at now: Instant
    ) -> Bool {
        guard indication.mediaSSRC == configuration.ssrc else { return false }
        statistics.pliCount += 1
        let roundTrip = min((roundTripTime ?? .zero) + queue, Self.longestKeyFrameWait)
        if let lastKeyFrame, now - lastKeyFrame < roundTrip { return false }
        return admitKeyFrameRequest(at: now)
    }

    /// Takes one entry of a FIR in. The same number again asks for nothing new (RFC 5104, section 4.3.1.2).
    ///
    /// - Returns: Whether the encoder shall make a key frame.
    package mutating func handle(_ entry: FullIntraRequest.Entry, at now: Instant) -> Bool {
        guard entry.ssrc == configuration.ssrc, entry.sequenceNumber != lastFIRSequenceNumber else { return false }
        lastFIRSequenceNumber = entry.sequenceNumber
        statistics.firCount += 1
        return admitKeyFrameRequest(at: now)
    }

    private mutating func admitKeyFrameRequest(at now: Instant) -> Bool {
        if let last = lastKeyFrameRequest, now - last < Self.keyFrameInterval { return false }
        lastKeyFrameRequest = now
        return true
    }
}
