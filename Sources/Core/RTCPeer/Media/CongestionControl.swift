internal import RTCMedia
internal import RTCWire

/// Controls the send rate of media: the pacer, the feedback about packets that arrived, and the bandwidth estimate.
/// Also writes our feedback about received packets.
struct CongestionControl {
    /// A packet that may be sent now.
    struct Next {
        var source: SynchronizationSource
        var reference: RTPPacketReference
    }

    /// The lowest bitrate assigned to a video sender.
    static let leastVideo: Bitrate = .kilobits(50)
    /// The pacing rate relative to the target while the path has room, so that a key frame does not take too long.
    static let pacingFactor = 2.5
    /// The same near the path's capacity, so that frames queue here rather than on the path.
    static let narrowPacingFactor = 1.15
    /// The useful bitrate of a video sender without a known limit.
    static let usefulVideo: Bitrate = .megabits(5)
    /// The standing queue on the path above which data give way and video is paced without a margin, so that it drains.
    /// Probing has a limit of its own, in `BandwidthEstimator`.
    static let standingQueueLimit = TimeDelta.milliseconds(15)
    /// The time without feedback after which the path is not probed, since nothing would report the result.
    static let feedbackAge = TimeDelta.seconds(5)
    /// The bitrate accounted for each audio sender.
    static let audioShare: Bitrate = .kilobits(48)

    private var pacer: Pacer
    private var sent = TransportFeedbackReader()
    private var received = TransportFeedbackWriter()
    private var estimator: BandwidthEstimator
    private var receiveEstimator: ReceiveBandwidthEstimator?
    /// The video senders and their maximum bitrates.
    private var senders: [(transceiver: TransceiverID, limit: Bitrate?)] = []
    private var shares: [TransceiverID: Bitrate] = [:]
    /// The audio senders, and the bitrate that they were last told.
    private var sound: [TransceiverID] = []
    private var announcedAudioBitrate: Bitrate?
    /// The bitrate of redundant copies of audio frames.
    private var copies = RecentBitrate()
    private var sendsFeedback = false
    private var remoteMediaSource = SynchronizationSource(0)
    /// Whether the queued video frames leave faster, to probe for more bandwidth.
    private var isProbing = false
    private var probes = ProbeSchedule()
    /// The bitrate of packets that no encoder produces: retransmissions, error correction and padding.
    private var unencodedBitrate = RecentBitrate()
    /// The bitrate without padding.
    private var regular = RecentBitrate(window: .milliseconds(500))
    /// The time of the last packet with a transport-wide number.
    private var lastSent: Instant?
    private var firstSent: Instant?
    private var lastFeedback: Instant?
    /// Whether feedback has come from the other peer, on whatever path.
    private var hasFeedback = false
    private var nextSilence = Instant.distantFuture
    /// Whether copies are sent on a second path.
    private var usesSecondPath = false
    /// The time until which feedback may report copies sent on a second path.
    private var mixedUntil = Instant(nanoseconds: .min)
    /// The limit on the send rate while video is also sent on a second path.
    private var secondPathLimit: Bitrate?
    /// Whether the target has changed for reasons other than feedback.
    private(set) var hasNewTarget = false
    /// The totals of sent packets and their feedback.
    private var totals = CongestionSnapshot()

    /// The budget of data channels beside media.
    private(set) var dataBudget: DataBudget
    /// The upper limits of the estimate: higher when data channels can use it.
    static let (most, mostWithData) = (Bitrate.megabits(10), Bitrate.megabits(1_000))

    init(startBitrate: Bitrate, dataShare: Double = 0.3) {
        dataBudget = DataBudget(share: dataShare)
        estimator = BandwidthEstimator(BandwidthEstimator.Configuration(start: startBitrate))
        pacer = Pacer(rate: Self.pacing(startBitrate, Self.pacingFactor))
    }

    private static func pacing(_ target: Bitrate, _ factor: Double) -> Bitrate {
        Bitrate(bitsPerSecond: Int64(min(Double(target.bitsPerSecond) * factor, 1e15)))
    }

    /// The estimated capacity of the path.
    var target: Bitrate { estimator.target }

    /// The allowed send rate: limited while video is also sent on a second path, whose capacity is unknown.
    private var allowed: Bitrate { secondPathLimit.map { min($0, target) } ?? target }

    // MARK: Sending

    mutating func enqueue(
        _ reference: RTPPacketReference, of source: SynchronizationSource, _ priority: Pacer.Priority,
        at now: Instant
    ) {
        pacer.enqueue(reference, stream: Int(source.rawValue), priority: priority, at: now)
    }

    /// The time that the queued packets take to leave.
    var queueTime: TimeDelta { pacer.queueTime }

    /// Passes the packets that may be sent to `send`, one at a time, until the next one does not fit.
    ///
    /// - Parameters:
    ///   - fits: Whether there is room for a packet of this size in bytes.
    ///   - send: Sends a packet with the given transport-wide number. Returns its description, its protected size in
    ///     bytes, and whether it also, or only, leaves on a second path; `nil` when nothing was sent.
    mutating func drain(
        at now: Instant, while fits: (_ size: Int) -> Bool,
        _ send: (Next, TransportSequenceNumber) -> (packet: SentRTPPacket, size: Int, usesSecondPath: Bool)?
    ) {
        reduceWithoutFeedback(at: now)
        while true {
            pacer.isHeld = isWindowFull(at: now)
            guard let size = pacer.nextSize(at: now), fits(size), let entry = pacer.next(at: now) else { break }
            let next = Next(
                source: SynchronizationSource(UInt32(truncatingIfNeeded: entry.stream)), reference: entry.packet)
            guard let (packet, size, usesSecondPath) = send(next, nextTransportNumber) else {
                pacer.refund()
                continue
            }
            if packet.isRetransmission || packet.isErrorCorrection {
                unencodedBitrate.add(size, at: now)
            } else if entry.priority == .video {
                dataBudget.noteVideoFrame(size, at: now)
            }
            if !entry.packet.isPadding { regular.add(size, at: now) }
            if packet.hasTransportSequenceNumber {
                sent.noteSent(size: size, usesSecondPath: usesSecondPath, at: now)
                totals.noteSent(size: size)
                lastSent = now
                firstSent = firstSent ?? now
                if nextSilence == .distantFuture { nextSilence = now + estimator.feedbackTimeout }
            }
        }
        if isProbing, pacer.isEmpty {
            isProbing = false
            adapt(at: now)
        }
    }

    /// Whether more bytes are in flight than the window allows, while feedback may still come.
    private func isWindowFull(at now: Instant) -> Bool {
        guard let last = lastFeedback ?? firstSent, now < last + holdTime else { return false }
        return sent.bytesInFlight > estimator.window
    }

    /// The time at which held packets are sent even without feedback.
    private var holdEnd: Instant {
        guard pacer.isHeld, let last = lastFeedback ?? firstSent else { return .distantFuture }
        return last + holdTime
    }

    /// The longest wait for feedback.
    private var holdTime: TimeDelta {
        .milliseconds(lastFeedback == nil ? 800 : 250) + min(estimator.roundTripTime ?? .zero, .seconds(1))
    }

    /// Reduces the rate when feedback about sent packets is missing.
    private mutating func reduceWithoutFeedback(at now: Instant) {
        guard now >= nextSilence else { return }
        guard let lastSent, lastFeedback != nil, now - lastSent < .seconds(1) else {
            nextSilence = .distantFuture
            return
        }
        nextSilence = now + .milliseconds(100)
        guard estimator.handleMissingFeedback(bytesInFlight: sent.bytesInFlight, at: now) else { return }
        hasNewTarget = true
        adapt(at: now)
    }

    /// Notes that a frame was queued, and decides whether it serves as a probe.
    ///
    /// - Parameter wasIdle: Whether nothing was queued before it.
    /// - Returns: The padding to send behind it, if it is a probe.
    mutating func beginVideoFrame(size: Int, packets: Int, wasIdle: Bool, at now: Instant) -> ProbeSchedule.Probe? {
        pacer.removePadding()
        // Copies cannot tell what a path carries.
        guard !usesSecondPath, wasIdle, size > 0, let last = lastFeedback ?? firstSent, now - last < Self.feedbackAge,
            let probe = probes.next(size: size, packets: packets, conditions(at: now), at: now)
        else { return nil }
        isProbing = true
        adapt(at: now)
        return probe
    }

    private func conditions(at now: Instant) -> ProbeSchedule.Conditions {
        let sent = regular.bitrate(at: now).bitsPerSecond + Int64(dataBudget.traffic(at: now).sent)
        return estimator.probeConditions(useful: usefulBitrate(at: now), sent: Bitrate(bitsPerSecond: sent), at: now)
    }

    /// The most that the senders can use.
    private func usefulBitrate(at now: Instant) -> Bitrate {
        Bitrate(
            bitsPerSecond: senders.reduce(audioBitrate(at: now)) {
                $0 + min(($1.limit ?? Self.usefulVideo).bitsPerSecond, 1 << 40)
            })
    }

    /// Whether nothing but padding is queued.
    var isIdle: Bool { pacer.isIdle }

    /// The transport-wide number of the next packet.
    var nextTransportNumber: TransportSequenceNumber { sent.nextNumber }

    mutating func removeAll(of source: SynchronizationSource) { pacer.removeAll(of: Int(source.rawValue)) }

    /// The queued retransmissions of a stream in bytes, and the time that they take to leave.
    func repairs(of source: SynchronizationSource) -> (size: Int, time: TimeDelta) {
        let size = pacer.repairBytes(of: Int(source.rawValue))
        return (size, size == 0 ? .zero : pacer.rate.time(toSend: size))
    }

    mutating func removeRetransmissions(of source: SynchronizationSource) {
        pacer.removeRetransmissions(of: Int(source.rawValue))
    }

    /// The number of queued video frames of a stream, and the time that they take to leave.
    func queuedVideoFrames(of source: SynchronizationSource) -> (count: Int, time: TimeDelta) {
        let (count, bytes) = pacer.pictures(of: Int(source.rawValue))
        return (count, bytes == 0 ? .zero : pacer.rate.time(toSend: bytes))
    }

    /// Removes the queued video packets that their stream has removed.
    mutating func removeVideoFrames(of source: SynchronizationSource, removedBy stream: RTPOutgoingStream?) {
        pacer.removeVideoFrames(of: Int(source.rawValue)) { stream?.keeps($0) ?? false }
    }

    /// The standing queue on the path.
    var standingQueue: TimeDelta { estimator.standingQueue }

    /// The standing queue on the path, if feedback about it came within the last second.
    func recentStandingQueue(at now: Instant) -> TimeDelta? {
        guard let lastFeedback, now - lastFeedback < .seconds(1) else { return nil }
        return estimator.standingQueue
    }

    /// The current measurements and decisions.
    func snapshot(at now: Instant) -> CongestionSnapshot {
        var snapshot = totals
        snapshot.bytesInFlight = sent.bytesInFlight
        snapshot.queueTime = pacer.queueTime
        snapshot.take(estimator, at: now)
        return snapshot
    }

    // MARK: Feedback from the remote peer

    mutating func receive(_ feedback: borrowing TransportFeedback, at now: Instant) {
        // Feedback without news does not show that anything arrives.
        guard sent.handle(feedback), !sent.results.isEmpty else { return }
        totals.note(sent.results)
        if secondPathLimit != nil {
            // Nearly all packets are copied, so the rest is too little to measure a path by. But packets arrive.
            estimator.endSilence(at: now)
        } else {
            // In the first step of a doubt only audio is copied. So feedback about video is about the selected path;
            // feedback about audio alone says nothing about it.
            guard sent.results.contains(where: { !$0.usedSecondPath }) else { return }
            update(at: now)
        }
        lastFeedback = now
        hasFeedback = true
        nextSilence = sent.bytesInFlight > 0 ? now + estimator.feedbackTimeout : .distantFuture
        adapt(at: now)
    }

    private mutating func update(at now: Instant) {
        var beside = dataBudget.traffic(at: now)
        estimator.mixesPaths = now < mixedUntil
        estimator.configuration.maximum = beside.sent > 1_000_000 ? Self.mostWithData : Self.most
        if usesSecondPath {
            // The audio that the estimator leaves out takes its part of the path all the same.
            beside.sent += Double(audioBitrate(at: now))
            beside.acknowledged += Double(audioBitrate(at: now))
        }
        estimator.update(sent.results, beside: beside, at: now)
    }

    mutating func receive(_ estimate: ReceiverEstimatedMaximumBitrate, at now: Instant) {
        estimator.update(estimate, at: now)
        adapt(at: now)
    }

    /// Notes that packets are sent on a second path as well, or not any more; feedback about them comes slightly later.
    ///
    /// - Parameter limit: The limit on the send rate meanwhile.
    mutating func noteSecondPath(isInUse: Bool, limit: Bitrate?, at now: Instant) {
        usesSecondPath = isInUse
        mixedUntil = isInUse ? .distantFuture : min(mixedUntil, now + .seconds(1))
        guard secondPathLimit != limit else { return }
        secondPathLimit = limit
        hasNewTarget = true
        adapt(at: now)
    }

    /// Resets the estimate for another path, and ignores feedback about packets sent before.
    mutating func pathChanged(at now: Instant) {
        estimator.pathChanged()
        sent.pathChanged()
        probes = ProbeSchedule()
        mixedUntil = Instant(nanoseconds: .min)
        usesSecondPath = false
        secondPathLimit = nil
        lastFeedback = nil
        firstSent = nil
        nextSilence = .distantFuture
        isProbing = false
        adapt(at: now)
    }

    // MARK: Feedback to the remote peer

    /// Notes a received packet.
    mutating func received(_ header: RTPHeader, _ extensions: RTPHeaderExtensions, size: Int, at now: Instant) {
        if let number = extensions.transportSequenceNumber {
            remoteMediaSource = header.ssrc
            if sendsFeedback { received.record(number, at: now) }
        } else if let time = extensions.absoluteSendTime {
            receiveEstimator?.record(time, of: header.ssrc, size: size, at: now)
        }
    }

    func isFeedbackDue(at now: Instant) -> Bool {
        received.nextDeadline <= now || receiveEstimator.map { $0.nextDeadline <= now } ?? false
    }

    mutating func writeFeedback(from source: SynchronizationSource, at now: Instant, to writer: inout ByteWriter) {
        if received.nextDeadline <= now {
            received.write(from: source, media: remoteMediaSource, at: now, to: &writer)
        }
        receiveEstimator?.write(from: source, at: now, to: &writer)
    }

    // MARK: Time

    var nextDeadline: Instant {
        min(
            min(pacer.nextDeadline, received.nextDeadline),
            min(receiveEstimator?.nextDeadline ?? .distantFuture, min(nextSilence, holdEnd)))
    }

    // MARK: Bandwidth allocation

    /// Adopts the current streams.
    mutating func apply(outgoing: [OutgoingMedia], incoming: [IncomingMedia]) {
        senders = outgoing.filter { $0.kind == .video && $0.isAgreed }.map { each in
            (each.transceiver, each.parameters?.maximumSendBitrate.map { Bitrate(bitsPerSecond: Int64(clamping: $0)) })
        }
        sound = outgoing.filter { $0.kind == .audio && $0.isAgreed }.map(\.transceiver)
        announcedAudioBitrate = nil
        shares = shares.filter { share in senders.contains { $0.transceiver == share.key } }
        let feedback = incoming.flatMap { $0.parameters.receiveCodecs.flatMap(\.codec.feedback) }
        sendsFeedback = feedback.contains("transport-cc")
        let estimates = !sendsFeedback && feedback.contains("goog-remb")
        receiveEstimator = estimates ? receiveEstimator ?? ReceiveBandwidthEstimator() : nil
    }

    /// The bitrate that video and data share, after audio, retransmissions and error correction; half of the target at least, less audio.
    private func shared(at now: Instant) -> Int64 {
        let target = allowed.bitsPerSecond
        return target - audioBitrate(at: now) - min(unencodedBitrate.bitrate(at: now).bitsPerSecond, target / 2)
    }

    /// Whether there are media that data must not delay, and feedback to estimate the path. If feedback stops, the
    /// target falls, and data with it.
    private func protectsMedia(at now: Instant) -> Bool {
        guard hasFeedback, let lastSent else { return false }
        return now - lastSent < .seconds(1)
    }

    /// Whether there is a standing queue that competing traffic does not cause.
    private var isQueueing: Bool { estimator.standingQueue > Self.standingQueueLimit && !estimator.isCompeting }

    // MARK: Data

    /// The time at which data channels may send their next packet.
    mutating func nextDataOpening(at now: Instant) -> Instant {
        dataBudget.update(rest: protectsMedia(at: now) ? shared(at: now) : nil, isQueueing: isQueueing, at: now)
        return dataBudget.nextOpening
    }

    mutating func noteData(_ size: Int, carriesData: Bool, at now: Instant) {
        dataBudget.noteData(size, carriesData: carriesData, at: now)
    }
    mutating func noteDataAcknowledged(_ size: Int, at now: Instant) { dataBudget.noteAcknowledged(size, at: now) }

    private mutating func adapt(at now: Instant) {
        pacer.isHeld = isWindowFull(at: now)
        guard estimator.isNearCapacity(at: now) else {
            pacer.rate = max(Self.pacing(allowed, Self.pacingFactor), .kilobits(300))
            pacer.savings = Pacer.credit
            pacer.maximumQueueTime = .milliseconds(500)
            return
        }
        // The pacing rate excludes the share of data.
        let data = min(dataBudget.traffic(at: now).sent, Double(allowed.bitsPerSecond) * dataBudget.share)
        let paced = Self.pacing(
            Bitrate(bitsPerSecond: allowed.bitsPerSecond - Int64(data)),
            isQueueing ? 1 : isProbing ? ProbeSchedule.factor : Self.narrowPacingFactor)
        // Includes audio, so that the lowest video bitrates get through beside it.
        let least =
            Self.leastVideo.bitsPerSecond * Int64(senders.count) * 3 / 2 + audioBitrate(at: now)
        pacer.rate = max(paced, Bitrate(bitsPerSecond: least))
        pacer.savings = .zero
        // Frames that queue here make the encoder skip later ones. On the path they would queue all the same.
        pacer.maximumQueueTime = .milliseconds(1_200)
    }

    /// The bitrate accounted for audio, redundant copies included.
    private func audioBitrate(at now: Instant) -> Int64 {
        Self.audioShare.bitsPerSecond * Int64(sound.count) + copies.bitrate(at: now).bitsPerSecond
    }

    /// Notes bytes of redundant copies in audio packets.
    mutating func noteCopies(_ size: Int, at now: Instant) { copies.add(size, at: now) }

    /// The current bitrate of each audio sender, redundant copies included.
    var audioSenderBitrate: Bitrate { AudioBitrateAllocation.of(allowed, sound: sound.count, pictures: senders.count) }

    /// The new bitrate of each audio sender, if it has changed by more than 5 %.
    mutating func takeChangedAudioBitrates() -> [(TransceiverID, Bitrate)] {
        guard !sound.isEmpty else { return [] }
        let share = audioSenderBitrate
        let before = announcedAudioBitrate?.bitsPerSecond ?? 0
        guard abs(share.bitsPerSecond - before) * 20 > before else { return [] }
        announcedAudioBitrate = share
        return sound.map { ($0, share) }
    }

    /// The new bitrate of each video sender whose share has changed by more than 2 %.
    mutating func takeChangedVideoBitrates(at now: Instant) -> [(TransceiverID, Bitrate)] {
        hasNewTarget = false
        guard !senders.isEmpty else { return [] }
        // Retransmissions and error correction reduce the encoders' share, but not below half.
        let pictures = dataBudget.videoShare(of: shared(at: now), at: now)
        let each = max(pictures / Int64(senders.count), Self.leastVideo.bitsPerSecond)
        var changed: [(TransceiverID, Bitrate)] = []
        for sender in senders {
            let share = min(Bitrate(bitsPerSecond: each), sender.limit ?? Bitrate(bitsPerSecond: each))
            let before = shares[sender.transceiver]?.bitsPerSecond ?? 0
            guard abs(share.bitsPerSecond - before) * 50 > before else { continue }
            shares[sender.transceiver] = share
            changed.append((sender.transceiver, share))
        }
        return changed
    }
}

// MARK: - For tests

extension CongestionControl {
    /// The number of packet statuses examined in feedback: the work that a peer can cause.
    var visitedStatuses: UInt64 { sent.visitedStatuses }
}
