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
    /// How much faster than it is made a picture leaves, so that a key frame does not take too long.
    static let pacingFactor = 2.5
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
    private var sendsFeedback = false
    private var remoteMediaSource = SynchronizationSource(0)

    init(startBitrate: Bitrate) {
        estimator = BandwidthEstimator(BandwidthEstimator.Configuration(start: startBitrate))
        pacer = Pacer(rate: Self.pacing(startBitrate))
    }

    private static func pacing(_ target: Bitrate) -> Bitrate {
        Bitrate(bitsPerSecond: max(Int64(Double(target.bitsPerSecond) * pacingFactor), 300_000))
    }

    /// What the path bears, by the latest estimate.
    var target: Bitrate { estimator.target }

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
        while let size = pacer.nextSize(at: now), fits(size), let entry = pacer.next(at: now) {
            let next = Next(
                source: SynchronizationSource(UInt32(truncatingIfNeeded: entry.stream)), reference: entry.packet)
            guard let (packet, size) = send(next, nextTransportNumber) else { continue }
            if packet.hasTransportSequenceNumber { sent.noteSent(size: size, at: now) }
        }
    }

    /// The number that the next packet has among all that leave.
    var nextTransportNumber: TransportSequenceNumber { sent.nextNumber }

    mutating func removeAll(of source: SynchronizationSource) { pacer.removeAll(of: Int(source.rawValue)) }

    // MARK: What the other side says

    mutating func receive(_ feedback: borrowing TransportFeedback, at now: Instant) {
        guard sent.handle(feedback) else { return }
        estimator.update(sent.results, at: now)
        adapt()
    }

    mutating func receive(_ estimate: ReceiverEstimatedMaximumBitrate, at now: Instant) {
        estimator.update(estimate, at: now)
        adapt()
    }

    /// The path is another one.
    mutating func pathChanged() { estimator.pathChanged() }

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
        min(min(pacer.nextDeadline, received.nextDeadline), receiveEstimator?.nextDeadline ?? .distantFuture)
    }

    // MARK: Shares

    /// Takes up which streams there are.
    mutating func apply(outgoing: [OutgoingMedia], incoming: [IncomingMedia]) {
        senders = outgoing.filter { $0.kind == .video && $0.isAgreed }.map { each in
            (each.transceiver, each.parameters?.maximumSendBitrate.map { Bitrate(bitsPerSecond: Int64(clamping: $0)) })
        }
        audioSenders = outgoing.count { $0.kind == .audio && $0.isAgreed }
        shares = shares.filter { share in senders.contains { $0.transceiver == share.key } }
        let feedback = incoming.flatMap { $0.parameters.receiveCodecs.flatMap(\.codec.feedback) }
        sendsFeedback = feedback.contains("transport-cc")
        let estimates = !sendsFeedback && feedback.contains("goog-remb")
        receiveEstimator = estimates ? receiveEstimator ?? ReceiveBandwidthEstimator() : nil
    }

    private mutating func adapt() {
        pacer.rate = Self.pacing(estimator.target)
    }

    /// What each video sender may make from now on, where that has changed by more than a little.
    mutating func takeChangedShares() -> [(TransceiverID, Bitrate)] {
        guard !senders.isEmpty else { return [] }
        let audio = Self.audioShare.bitsPerSecond * Int64(audioSenders)
        let each = max(
            (estimator.target.bitsPerSecond - audio) / Int64(senders.count), Self.leastVideo.bitsPerSecond)
        var changed: [(TransceiverID, Bitrate)] = []
        for sender in senders {
            let share = min(Bitrate(bitsPerSecond: each), sender.limit ?? Bitrate(bitsPerSecond: each))
            let before = shares[sender.transceiver]?.bitsPerSecond ?? 0
            guard abs(share.bitsPerSecond - before) * 20 > before else { continue }
            shares[sender.transceiver] = share
            changed.append((sender.transceiver, share))
        }
        return changed
    }
}
