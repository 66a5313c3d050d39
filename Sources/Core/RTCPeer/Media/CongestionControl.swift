internal import RTCMedia
internal import RTCWire

/// How fast media leaves: the pacer, what the other side says of what arrived, and the estimate of what the path bears.
/// And the other way round: what we tell the other side of its packets.
struct CongestionControl {
    /// A packet whose turn it is.
    struct Next {
        var source: SynchronizationSource
        var reference: RTPPacketReference
    }

    /// The least that a video sender is told to make.
    static let leastVideo: Bitrate = .kilobits(50)
    /// How much faster than it is made a picture leaves where the path has room, so that a key frame does not take too long.
    static let pacingFactor = 2.5
    /// The same where the path is near its limit, so that pictures wait here and not on the path.
    static let narrowPacingFactor = 1.15
    /// What a sender can make use of of which nothing is known.
    static let usefulVideo: Bitrate = .megabits(5)
    /// A queue on the path that is emptied before anything is tried.
    static let notableQueue = TimeDelta.milliseconds(15)
    /// How long feedback may be missing for the path to be probed: nobody else tells what comes of it.
    static let feedbackAge = TimeDelta.seconds(5)
    /// What audio is counted as.
    static let audioShare: Bitrate = .kilobits(48)

    private var pacer: Pacer
    private var sent = TransportFeedbackReader()
    private var received = TransportFeedbackWriter()
    private var estimator: BandwidthEstimator
    private var receiveEstimator: ReceiveBandwidthEstimator?
    /// The video senders and the most that each may be given.
    private var senders: [(transceiver: TransceiverID, limit: Bitrate?)] = []
    private var audioSenders = 0
    private var shares: [TransceiverID: Bitrate] = [:]
    /// Those who send sound, and what they were told last.
    private var sound: [TransceiverID] = []
    private var soundShare: Bitrate?
    /// What copies of earlier sound take.
    private var copies = RecentBitrate()
    private var sendsFeedback = false
    private var remoteMediaSource = SynchronizationSource(0)
    /// Whether the pictures that wait leave faster, to see whether there is more room.
    private var isProbing = false
    private var probes = ProbeSchedule()
    /// What leaves beside what encoders make: retransmissions, and packets that show what the path carries.
    private var extras = RecentBitrate()
    /// What leaves without those packets.
    private var regular = RecentBitrate(window: .milliseconds(500))
    /// When something left last that is answered by feedback.
    private var lastSent: Instant?
    private var firstSent: Instant?
    private var lastFeedback: Instant?
    /// Whether this peer tells what arrives, on whatever path.
    private var givesFeedback = false
    private var nextSilence = Instant.distantFuture
    /// Whether copies leave on a second path, and until when feedback may tell of them.
    private var usesSecondPath = false
    private var mixedUntil = Instant(nanoseconds: .min)
    /// What may leave as long as pictures go on a second path as well.
    private var secondPathLimit: Bitrate?
    /// Whether the target has changed, other than by what was received.
    private(set) var hasNewTarget = false
    /// What was sent and what came of it.
    private var totals = CongestionSnapshot()

    /// What data channels may send beside all this.
    private(set) var dataBudget: DataBudget
    /// The most that is estimated: more where data can make use of it.
    static let (most, mostWithData) = (Bitrate.megabits(10), Bitrate.megabits(1_000))

    init(startBitrate: Bitrate, dataShare: Double = 0.3) {
        dataBudget = DataBudget(share: dataShare)
        estimator = BandwidthEstimator(BandwidthEstimator.Configuration(start: startBitrate))
        pacer = Pacer(rate: Self.pacing(startBitrate, Self.pacingFactor))
    }

    private static func pacing(_ target: Bitrate, _ factor: Double) -> Bitrate {
        Bitrate(bitsPerSecond: Int64(min(Double(target.bitsPerSecond) * factor, 1e15)))
    }

    /// What the path bears, by the latest estimate.
    var target: Bitrate { estimator.target }

    /// What may be sent: less where it leaves on a second path too, of which nothing is known.
    private var allowed: Bitrate { secondPathLimit.map { min($0, target) } ?? target }

    // MARK: Sending

    mutating func enqueue(
        _ reference: RTPPacketReference, of source: SynchronizationSource, _ priority: Pacer.Priority,
        at now: Instant
    ) {
        pacer.enqueue(reference, stream: Int(source.rawValue), priority: priority, at: now)
    }

    /// How long what waits takes to leave.
    var queueTime: TimeDelta { pacer.queueTime }

    /// Hands out the packets whose turn it is, one after the other, until the next one does not fit.
    ///
    /// - Parameters:
    ///   - fits: Whether there is room for a packet of so many bytes.
    ///   - send: Sends a packet, with the number it has among all that leave. Answers what it was, and its bytes as
    ///     protected; `nil` when nothing is to be sent after all.
    mutating func drain(
        at now: Instant, while fits: (_ size: Int) -> Bool,
        _ send: (Next, TransportSequenceNumber) -> (packet: SentRTPPacket, size: Int)?
    ) {
        slowInSilence(at: now)
        while true {
            pacer.isHeld = isWindowFull(at: now)
            guard let size = pacer.nextSize(at: now), fits(size), let entry = pacer.next(at: now) else { break }
            let next = Next(
                source: SynchronizationSource(UInt32(truncatingIfNeeded: entry.stream)), reference: entry.packet)
            guard let (packet, size) = send(next, nextTransportNumber) else {
                pacer.refund()
                continue
            }
            if packet.isRetransmission {
                extras.add(size, at: now)
            } else if entry.priority == .video {
                dataBudget.notePicture(size, at: now)
            }
            if !entry.packet.isPadding { regular.add(size, at: now) }
            if packet.hasTransportSequenceNumber {
                sent.noteSent(size: size, at: now)
                totals.noteSent(size: size)
                lastSent = now
                firstSent = firstSent ?? now
                if nextSilence == .distantFuture { nextSilence = now + estimator.patience }
            }
        }
        if isProbing, pacer.isEmpty {
            isProbing = false
            adapt(at: now)
        }
    }

    /// Whether so much is under way that feedback is waited for, as long as there is feedback: or before there can be.
    private func isWindowFull(at now: Instant) -> Bool {
        guard let last = lastFeedback ?? firstSent, now < last + holdTime else { return false }
        return sent.bytesInFlight > estimator.window
    }

    /// When what is held leaves all the same.
    private var holdEnd: Instant {
        guard pacer.isHeld, let last = lastFeedback ?? firstSent else { return .distantFuture }
        return last + holdTime
    }

    /// How long feedback is waited for at most.
    private var holdTime: TimeDelta {
        .milliseconds(lastFeedback == nil ? 800 : 250) + min(estimator.roundTripTime ?? .zero, .seconds(1))
    }

    /// Slows down when feedback is missing of what leaves.
    private mutating func slowInSilence(at now: Instant) {
        guard now >= nextSilence else { return }
        guard let lastSent, lastFeedback != nil, now - lastSent < .seconds(1) else {
            nextSilence = .distantFuture
            return
        }
        nextSilence = now + .milliseconds(100)
        guard estimator.handleSilence(bytesInFlight: sent.bytesInFlight, at: now) else { return }
        hasNewTarget = true
        adapt(at: now)
    }

    /// A picture of so many bytes has been queued: it may be one that shows how much room there is.
    ///
    /// - Parameter wasIdle: Whether nothing waited before it.
    /// - Returns: What is to be sent behind it, if it is.
    mutating func beginPicture(size: Int, packets: Int, wasIdle: Bool, at now: Instant) -> ProbeSchedule.Probe? {
        pacer.removePadding()
        guard wasIdle, size > 0, let last = lastFeedback ?? firstSent, now - last < Self.feedbackAge,
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

    /// More than this the senders cannot make use of.
    private func usefulBitrate(at now: Instant) -> Bitrate {
        Bitrate(
            bitsPerSecond: senders.reduce(soundBitrate(at: now)) {
                $0 + min(($1.limit ?? Self.usefulVideo).bitsPerSecond, 1 << 40)
            })
    }

    /// Whether nothing waits that somebody waits for.
    var isIdle: Bool { pacer.isIdle }

    /// The number that the next packet has among all that leave.
    var nextTransportNumber: TransportSequenceNumber { sent.nextNumber }

    mutating func removeAll(of source: SynchronizationSource) { pacer.removeAll(of: Int(source.rawValue)) }

    /// The bytes of a stream that wait to be sent again, and how long they take to leave.
    func repairs(of source: SynchronizationSource) -> (size: Int, time: TimeDelta) {
        let size = pacer.repairBytes(of: Int(source.rawValue))
        return (size, size == 0 ? .zero : pacer.rate.time(toSend: size))
    }

    mutating func removeRetransmissions(of source: SynchronizationSource) {
        pacer.removeRetransmissions(of: Int(source.rawValue))
    }

    /// How many pictures of a stream wait, and how long they take to leave.
    func waitingPictures(of source: SynchronizationSource) -> (count: Int, time: TimeDelta) {
        let (count, bytes) = pacer.pictures(of: Int(source.rawValue))
        return (count, bytes == 0 ? .zero : pacer.rate.time(toSend: bytes))
    }

    /// Forgets the pictures of a stream that wait and that it has taken back.
    mutating func removePictures(of source: SynchronizationSource, takenBackBy stream: RTPOutgoingStream?) {
        pacer.removePictures(of: Int(source.rawValue)) { stream?.keeps($0) ?? false }
    }

    /// The queue that stands on the path.
    var standingQueue: TimeDelta { estimator.standingQueue }

    /// What is known and decided at this moment.
    func snapshot(at now: Instant) -> CongestionSnapshot {
        var snapshot = totals
        snapshot.bytesInFlight = sent.bytesInFlight
        snapshot.queueTime = pacer.queueTime
        snapshot.take(estimator, at: now)
        return snapshot
    }

    // MARK: What the other side says

    /// How many packets feedback made us look at.
    var visitedStatuses: UInt64 { sent.visitedStatuses }

    mutating func receive(_ feedback: borrowing TransportFeedback, at now: Instant) {
        // What tells nothing new is no sign that anything arrives.
        guard sent.handle(feedback), !sent.results.isEmpty else { return }
        guard !usesSecondPath else { return receiveMixed(at: now) }
        let beside = dataBudget.traffic(at: now)
        estimator.mixesPaths = now < mixedUntil
        estimator.configuration.maximum = beside.sent > 1_000_000 ? Self.mostWithData : Self.most
        estimator.update(sent.results, beside: beside, at: now)
        totals.note(sent.results)
        lastFeedback = now
        givesFeedback = true
        nextSilence = sent.bytesInFlight > 0 ? now + estimator.patience : .distantFuture
        adapt(at: now)
    }

    /// What arrives while copies of some packets leave on a second path says nothing of what either carries: the rest is not lost
    /// on the first one, and may only be held up.
    private mutating func receiveMixed(at now: Instant) {
        totals.note(sent.results)
        guard secondPathLimit != nil else { return }
        // Of everything there is a copy, so it is a sign that what leaves arrives.
        lastFeedback = now
        nextSilence = sent.bytesInFlight > 0 ? now + estimator.patience : .distantFuture
        adapt(at: now)
    }

    mutating func receive(_ estimate: ReceiverEstimatedMaximumBitrate, at now: Instant) {
        estimator.update(estimate, at: now)
        adapt(at: now)
    }

    /// Packets leave on a second path as well, or do not any more: what is told of them comes a little later.
    ///
    /// - Parameter limit: What may leave meanwhile.
    mutating func noteSecondPath(isInUse: Bool, limit: Bitrate?, at now: Instant) {
        usesSecondPath = isInUse
        mixedUntil = isInUse ? .distantFuture : min(mixedUntil, now + .seconds(1))
        guard secondPathLimit != limit else { return }
        secondPathLimit = limit
        hasNewTarget = true
        adapt(at: now)
    }

    /// The path is another one: nothing that was learnt holds, and what is told of packets that left before says nothing.
    mutating func pathChanged(at now: Instant) {
        estimator.pathChanged()
        sent.pathChanged()
        probes = ProbeSchedule()
        mixedUntil = Instant(nanoseconds: .min)
        lastFeedback = nil
        firstSent = nil
        nextSilence = .distantFuture
        isProbing = false
        adapt(at: now)
    }

    // MARK: What we tell the other side

    /// A packet has arrived.
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

    // MARK: Shares

    /// Takes up which streams there are.
    mutating func apply(outgoing: [OutgoingMedia], incoming: [IncomingMedia]) {
        senders = outgoing.filter { $0.kind == .video && $0.isAgreed }.map { each in
            (each.transceiver, each.parameters?.maximumSendBitrate.map { Bitrate(bitsPerSecond: Int64(clamping: $0)) })
        }
        sound = outgoing.filter { $0.kind == .audio && $0.isAgreed }.map(\.transceiver)
        audioSenders = sound.count
        soundShare = nil
        shares = shares.filter { share in senders.contains { $0.transceiver == share.key } }
        let feedback = incoming.flatMap { $0.parameters.receiveCodecs.flatMap(\.codec.feedback) }
        sendsFeedback = feedback.contains("transport-cc")
        let estimates = !sendsFeedback && feedback.contains("goog-remb")
        receiveEstimator = estimates ? receiveEstimator ?? ReceiveBandwidthEstimator() : nil
    }

    /// What pictures and data share, after sound and what is sent again; half of the target at least.
    private func shared(at now: Instant) -> Int64 {
        let target = allowed.bitsPerSecond
        return target - soundBitrate(at: now) - min(extras.bitrate(at: now).bitsPerSecond, target / 2)
    }

    /// Whether there are media that data must not delay, and a peer that tells what the path carries. When it falls silent the
    /// target falls, and data with it.
    private func protectsMedia(at now: Instant) -> Bool {
        guard givesFeedback, let lastSent else { return false }
        return now - lastSent < .seconds(1)
    }

    /// Whether a queue of our own stands on the path.
    private var isQueueing: Bool { estimator.standingQueue > Self.notableQueue && !estimator.isCompeting }

    // MARK: Data

    /// When data channels may send their next packet.
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
        // What data take is theirs.
        let data = min(dataBudget.traffic(at: now).sent, Double(allowed.bitsPerSecond) * dataBudget.share)
        let paced = Self.pacing(
            Bitrate(bitsPerSecond: allowed.bitsPerSecond - Int64(data)),
            isQueueing ? 1 : isProbing ? ProbeSchedule.factor : Self.narrowPacingFactor)
        // Sound is charged too: what encoders make at least must get through beside it.
        let least =
            Self.leastVideo.bitsPerSecond * Int64(senders.count) * 3 / 2 + soundBitrate(at: now)
        pacer.rate = max(paced, Bitrate(bitsPerSecond: least))
        pacer.savings = .zero
        // What waits here is left out of the next pictures. Given to the path, it would wait there all the same.
        pacer.maximumQueueTime = .milliseconds(1_200)
    }

    /// What sound is counted as, with the copies that go along.
    private func soundBitrate(at now: Instant) -> Int64 {
        Self.audioShare.bitsPerSecond * Int64(audioSenders) + copies.bitrate(at: now).bitsPerSecond
    }

    /// So many bytes leave with packets of sound that are copies of earlier ones.
    mutating func noteCopies(_ size: Int, at now: Instant) { copies.add(size, at: now) }

    /// What each sender of sound may make at present, copies of earlier packets included.
    var soundRoom: Bitrate { SoundShare.of(allowed, sound: sound.count, pictures: senders.count) }

    /// What each sender of sound may make from now on, where that has changed by more than a little.
    mutating func takeChangedSoundShares() -> [(TransceiverID, Bitrate)] {
        guard !sound.isEmpty else { return [] }
        let share = soundRoom
        let before = soundShare?.bitsPerSecond ?? 0
        guard abs(share.bitsPerSecond - before) * 20 > before else { return [] }
        soundShare = share
        return sound.map { ($0, share) }
    }

    /// What each video sender may make from now on, where that has changed by more than a little.
    mutating func takeChangedShares(at now: Instant) -> [(TransceiverID, Bitrate)] {
        hasNewTarget = false
        guard !senders.isEmpty else { return [] }
        // What is sent again comes off what encoders make; half is theirs in any case.
        let pictures = dataBudget.pictureShare(of: shared(at: now), at: now)
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
