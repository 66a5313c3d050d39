public import RTCWire

/// What the peer's receiver says of a stream that we send.
public struct RemoteReception: Sendable, Hashable {
    /// 0 to 1, of the packets since its report before.
    public var fractionLost: Double
    public var packetsLost: Int32
    /// How many packets had been sent up to the newest that the report speaks of: what was lost, was lost of these.
    public var packetsReported: UInt64
    public var jitter: TimeDelta
    /// The round trip that this report measured, `nil` when it refers to no sender report.
    public var roundTripTime: TimeDelta?
    /// When it arrived.
    public var time: Instant
}

extension RTPOutgoingStream {
    /// How often a packet is sent again, at most.
    static let maximumRetransmissions: UInt8 = 10
    /// What counts as a round trip before one was measured, and at least.
    static let assumedRoundTripTime = TimeDelta.milliseconds(50)
    static let minimumRetransmissionInterval = TimeDelta.milliseconds(5)
    /// Key frames are not made more often than this, whoever asks.
    static let keyFrameInterval = TimeDelta.milliseconds(250)
    /// How long a PLI is thought not to have seen the last one, at most.
    static let longestKeyFrameWait = TimeDelta.seconds(1)
    /// Nor in place of retransmissions more often than this: each is as large as some pictures.
    static let surrenderInterval = TimeDelta.seconds(2)

    /// Whether this stream, or its retransmissions, is what `ssrc` names.
    public func owns(_ ssrc: SynchronizationSource) -> Bool {
        ssrc == configuration.ssrc || ssrc == configuration.rtxSSRC
    }

    /// Takes a report block in that names this stream or its retransmissions.
    ///
    /// - Parameter clock: The one that the sender reports were made with.
    public mutating func handle(_ block: ReportBlock, at now: Instant, clock: NTPClock) {
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
            // What is negative is a rounding, or nonsense; a round trip of more than a minute is nonsense as well.
            let signed = Int32(bitPattern: units)
            if signed > -66, signed < 60 << 16 {
                let measured = TimeDelta(nanoseconds: (max(Int64(signed), 1) * 1_000_000_000) >> 16)
                reception.roundTripTime = measured
                roundTripTime = roundTripTime.map { ($0 * 7 + measured) / 8 } ?? measured
            }
        }
        remote = reception
    }

    /// Never less than before: a report may be overtaken, and say what it likes.
    private func packetsReported(in block: ReportBlock) -> UInt64 {
        let before = remote?.packetsReported ?? 0
        let newest = RTPSequenceNumber(UInt16(truncatingIfNeeded: block.highestSequenceNumber))
        let distance = Int64(newest.distance(to: nextSequenceNumber))
        guard distance > 0, distance <= history.end else { return before }
        return max(before, UInt64(history.end - distance + 1))
    }

    /// Takes a NACK in and appends what is to be sent again to `references`, for the pacer.
    ///
    /// A packet is sent again at most once in a round trip and ten times in all, and all retransmissions together never
    /// exceed what was sent for the first time by more than 32 KiB, nor 256 KiB at once: a flood of NACKs cannot make a
    /// flood of packets. What waits to be sent again, or was sent before the newest key frame, is not.
    ///
    /// - Parameter queue: The queue that stands on the path, by which the round trip is longer than it was measured to be.
    public mutating func handle(
        _ nack: borrowing GenericNACK, queue: TimeDelta = .zero, at now: Instant, references: inout [RTPPacketReference]
    ) {
        guard nack.mediaSSRC == configuration.ssrc, configuration.answersNACKs else { return }
        statistics.nackCount += 1
        let interval =
            max(roundTripTime ?? Self.assumedRoundTripTime, Self.minimumRetransmissionInterval)
            + min(queue, .seconds(1))
        var numbers = copy nack
        while let number = numbers.next() {
            // The newest index with that number: within half a turn behind the next one.
            let distance = number.distance(to: nextSequenceNumber)
            let index = history.end - Int64(distance)
            guard distance > 0, history.contains(index), index >= repairStart, let lastSent = history[index].lastSent,
                configuration.rtxSSRC == nil || rtxPayloadType(of: index) != nil
            else {
                statistics.refusedRetransmissions += 1
                continue
            }
            let record = history[index]
            // The first time is at once: whoever misses the packet has seen a later one.
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

    /// Bytes of a retransmission, at most.
    func retransmissionSize(of record: RTPPacketHistory.Record) -> Int {
        guard configuration.rtxSSRC != nil else { return record.size }
        return min(record.size + 2 + (isRTXKnownToPeer ? 0 : namesSize), configuration.maximumPacketSize)
    }

    /// Notes that a key frame was written last: whoever gets it needs nothing that was before it.
    ///
    /// - Parameter first: The first of its packets.
    public mutating func noteKeyFrame(_ first: RTPPacketReference, at now: Instant) {
        repairStart = first.index
        keyFrameEnd = history.end
        if history.contains(history.end - 1) { history[history.end - 1].endsKeyFrame = true }
        lastKeyFrame = now
    }

    /// Gives up repairing what was sent so far: a key frame is cheaper.
    ///
    /// - Returns: Whether the encoder shall make one: not when it just did.
    public mutating func surrender(at now: Instant) -> Bool {
        if let lastSurrender, now - lastSurrender < Self.surrenderInterval { return false }
        guard grantKeyFrame(at: now) else { return false }
        lastSurrender = now
        repairStart = history.end
        return true
    }

    /// Takes back the frames of which nothing has left, for a key frame in their place. The numbers of those packets are given to the
    /// next ones, so that nobody misses them. A frame that has begun to leave does so to its end: the other side takes what is
    /// followed by another frame for a whole one.
    ///
    /// - Returns: Whether the encoder shall make a key frame: not when it just did, nor while the newest one has not left yet.
    public mutating func withdraw(at now: Instant) -> Bool {
        guard history.firstUnbegun < history.end, keyFrameEnd <= history.firstUnsent, surrender(at: now) else {
            return false
        }
        forgetUnbegun()
        return true
    }

    /// Whether a packet has not been taken back.
    public func keeps(_ reference: RTPPacketReference) -> Bool { history.contains(reference.index) }

    /// Forgets the frames of which nothing has left, together with the numbers of their packets.
    public mutating func forgetUnbegun() {
        history.removeUnbegun()
        repairStart = min(repairStart, history.end)
        keyFrameEnd = min(keyFrameEnd, history.end)
    }

    /// Takes a PLI in.
    ///
    /// - Parameter queue: What waits to leave, and on the path. As long as the last key frame may still be under way, the PLI
    ///   was sent without having seen it; whoever misses it asks again.
    /// - Returns: Whether the encoder shall make a key frame: not when it just did.
    public mutating func handle(
        _ indication: PictureLossIndication, queue: TimeDelta = .zero, at now: Instant
    ) -> Bool {
        guard indication.mediaSSRC == configuration.ssrc else { return false }
        statistics.pliCount += 1
        let roundTrip = min((roundTripTime ?? .zero) + queue, Self.longestKeyFrameWait)
        if let lastKeyFrame, now - lastKeyFrame < roundTrip { return false }
        return grantKeyFrame(at: now)
    }

    /// Takes one entry of a FIR in. The same number again asks for nothing new (RFC 5104, section 4.3.1.2).
    ///
    /// - Returns: Whether the encoder shall make a key frame.
    public mutating func handle(_ entry: FullIntraRequest.Entry, at now: Instant) -> Bool {
        guard entry.ssrc == configuration.ssrc, entry.sequenceNumber != lastFIRSequenceNumber else { return false }
        lastFIRSequenceNumber = entry.sequenceNumber
        statistics.firCount += 1
        return grantKeyFrame(at: now)
    }

    private mutating func grantKeyFrame(at now: Instant) -> Bool {
        if let last = lastKeyFrameRequest, now - last < Self.keyFrameInterval { return false }
        lastKeyFrameRequest = now
        return true
    }
}
