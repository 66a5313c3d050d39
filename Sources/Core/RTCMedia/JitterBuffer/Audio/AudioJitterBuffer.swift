public import RTCWire

/// Turns audio packets that arrive irregularly into continuous audio.
///
/// Packets are inserted as they arrive; every 10 ms the playout takes 10 ms of samples. The buffer delays the audio by
/// as much as the network's jitter requires, and changes the delay by playing slightly faster or slower. Missing audio
/// is recovered from a later packet, or concealed. The buffer is sans-IO and has no thread: protect it with a lock if a
/// network thread and a playout thread share it.
///
/// ```swift
/// buffer.setDecoder(opus, for: RTPPayloadType(111), clockRate: 48_000)
/// buffer.insert(payload, sequenceNumber: 4_711, timestamp: header.timestamp, payloadType: header.payloadType, arrival: now)
/// let sound = buffer.render(into: &samples, at: now)      // each 10 ms
/// ```
@usableFromInline package struct AudioJitterBuffer: ~Copyable {
    /// The result of ``render(into:at:)``: 10 ms of audio.
    @usableFromInline package struct Output: Sendable, Hashable {
        /// Samples of one channel.
        @usableFromInline package var sampleCount: Int
        /// In hertz.
        @usableFromInline package var sampleRate: Int
        @usableFromInline package var channels: Int
        /// The RTP timestamp of the first sample, for lip sync; `nil` while nothing real was played.
        @usableFromInline package var timestamp: RTPTimestamp?
        /// Whether any of the samples were decoded from a packet.
        @usableFromInline package var isReal: Bool
    }

    /// The shortest delay.
    @usableFromInline package static let minimumDelay: TimeDelta = .milliseconds(5)
    /// The longest delay that jitter can cause.
    @usableFromInline package static let maximumDelay: TimeDelta = .seconds(2)
    /// Samples of one channel that an output may have: 10 ms at 48 kHz.
    @usableFromInline package static let maximumOutputSamples = 480

    /// The loss ratio from which the delay includes waiting for the codec's in-band FEC.
    static let noticeableLoss = 0.01

    /// The long-term loss ratio from which it includes waiting for RFC 2198 copies: bursts of losses are rare.
    static let noticeableLongTermLoss = 0.0025
    /// The packets without a copy after which the stream counts as having none: codecs copy speech, not pauses.
    static let longestWithoutCopy = 250
    /// Copies of packets further back are used, but not waited for.
    static let longestWaitForCopy: Int64 = 6
    /// The length of the cross-fade from concealed to received audio.
    static let seam = TimeDelta.milliseconds(5)

    /// 120 ms of stereo at 48 kHz, in samples.
    private static let scratchSamples = 48_000 / 1_000 * 120 * 2

    struct Decoding {
        var decoder: any AudioDecoder
        var clockRate: Int64
    }

    private enum Phase {
        /// Playout has not started; waits for the first packets.
        case waiting
        case playing
    }

    /// An additional delay that synchronizes audio with video (lip sync).
    @usableFromInline package var extraDelay = TimeDelta.zero
    package private(set) var statistics = AudioJitterBufferStatistics()

    private var phase = Phase.waiting
    private var packets = AudioPacketBuffer()
    private var arrivals = ArrivalDelayEstimator()
    private var decoders: [RTPPayloadType: Decoding] = [:]
    /// The decoder in use.
    private var current: Decoding?
    private var currentPayloadType: RTPPayloadType?
    private var concealment: AudioConcealment?
    /// Decoded samples not yet played, interleaved.
    private var decoded: [Int16] = []
    /// The last samples played, interleaved: as many as time stretching needs.
    private var played: [Int16] = []
    /// Whether the codec generated the last concealment.
    private var isConcealedByCodec = false
    /// The decoder's output, followed by the samples that fade out at a seam.
    private let scratch: UnsafeMutableBufferPointer<Int16>

    private var lastTimestamp: RTPTimestamp?
    private var extendedTimestamp: Int64 = 0
    /// The timestamp, without wrap-around, after the last decoded audio.
    private var expected: Int64 = 0
    private var expectedSequenceNumber: Int64 = 0
    /// The recent ratio of packets that were missing when due, and the long-term one.
    private var lossRate = 0.0
    private var longTermLossRate = 0.0
    /// The number of packets since one carried a copy of the one before; small while speech is copied.
    private var packetsSinceCopy = longestWithoutCopy
    private var packetDuration: TimeDelta = .milliseconds(20)
    /// The largest offset of the copies in packets, and the number of packets since one reached it.
    private var largestCopyOffset = TimeDelta.zero
    private var packetsSinceLargestOffset = 0
    /// Samples of one channel concealed since the last packet.
    private var concealedRun = 0
    private var firstArrival = Instant.zero
    /// The buffered time, smoothed over some packets, for the time-stretch decisions.
    private var smoothedLevel: Double?
    private var blocksUntilStretch = 0

    @usableFromInline package init() {
        scratch = .allocate(capacity: Self.scratchSamples + 2 * Self.maximumOutputSamples)
        scratch.initialize(repeating: 0)
    }

    deinit { scratch.deallocate() }

    /// Sets the decoder for packets with this payload type.
    ///
    /// - Parameter clockRate: Of the RTP timestamps, in hertz.
    @usableFromInline package mutating func setDecoder(
        _ decoder: any AudioDecoder, for type: RTPPayloadType, clockRate: UInt32
    ) {
        guard clockRate > 0, decoder.sampleRate % 100 == 0, (1...2).contains(decoder.channels) else { return }
        decoders[type] = Decoding(decoder: decoder, clockRate: Int64(clockRate))
        if type == currentPayloadType { currentPayloadType = nil }
    }

    /// The delay that is aimed at.
    @usableFromInline package var targetDelay: TimeDelta {
        var delay = max(arrivals.delay ?? Self.minimumDelay, Self.minimumDelay)
        // A lost packet can be recovered only if the packet with its copy has arrived by then.
        if largestCopyOffset > .zero, longTermLossRate > Self.noticeableLongTermLoss {
            delay = delay + largestCopyOffset
        } else if packetsSinceCopy < Self.longestWithoutCopy, lossRate > Self.noticeableLoss {
            delay = delay + packetDuration
        }
        return min(delay, Self.maximumDelay) + max(.zero, min(extraDelay, Self.maximumDelay))
    }

    /// The duration of the buffered audio.
    @usableFromInline package var level: TimeDelta {
        guard let current else { return .zero }
        var nanoseconds =
            Int64(decoded.count / current.decoder.channels) * 1_000_000_000
            / Int64(current.decoder.sampleRate)
        if let last = packets.lastTimestamp, last >= expected {
            // Timestamps come from the peer: more than ten seconds are never buffered.
            let ticks = min(last - expected, 10 * current.clockRate)
            nanoseconds += ticks * 1_000_000_000 / current.clockRate + packetDuration.nanoseconds
        }
        return .nanoseconds(nanoseconds)
    }

    /// Discards the buffered packets and begins again, as for another stream: silence until its first packet is due.
    /// Decoders, statistics and settings are kept.
    @usableFromInline package mutating func reset() {
        restart()
        current = nil
        currentPayloadType = nil
        concealment = nil
        decoded.removeAll(keepingCapacity: true)
        played.removeAll(keepingCapacity: true)
        lastTimestamp = nil
        lossRate = 0
        longTermLossRate = 0
        packetsSinceCopy = Self.longestWithoutCopy
        largestCopyOffset = .zero
        concealedRun = 0
        blocksUntilStretch = 0
    }

    // MARK: Input

    /// Takes a packet's payload.
    ///
    /// - Parameters:
    ///   - sequenceNumber: Without wrap-around.
    ///   - timestamp: In ticks of the clock rate that its decoder was set with.
    @usableFromInline package mutating func insert(
        _ payload: RawSpan, sequenceNumber: Int64, timestamp: RTPTimestamp, payloadType: RTPPayloadType,
        arrival: Instant
    ) {
        guard let decoding = decoders[payloadType], payload.byteCount > 0,
            payload.byteCount <= AudioPacketBuffer.maximumPacketSize
        else {
            statistics.packetsDiscarded += 1
            return
        }
        let time = extend(timestamp)
        if let samples = decoding.decoder.duration(of: payload), samples > 0 {
            packetDuration = .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(decoding.decoder.sampleRate))
            let isCopy = decoding.decoder.carriesPreviousPacket(payload)
            packetsSinceCopy = isCopy ? 0 : min(packetsSinceCopy + 1, Self.longestWithoutCopy)
        }
        packetsSinceLargestOffset += 1
        if packetsSinceLargestOffset > Self.longestWithoutCopy { largestCopyOffset = .zero }
        // A jump by seconds means a restarted sender or a long silence.
        if phase == .playing, abs(time - expected) > 5 * decoding.clockRate { restart() }
        arrivals.note(mediaTime: time &* (1_000_000_000 / decoding.clockRate), arrival: arrival)
        guard phase == .waiting || sequenceNumber >= expectedSequenceNumber else {
            statistics.packetsDiscarded += 1
            return
        }
        if packets.isEmpty, phase == .waiting { firstArrival = arrival }
        let insertion = packets.insert(
            payload, sequenceNumber: sequenceNumber, timestamp: time, payloadType: payloadType, arrival: arrival)
        switch insertion {
        case .inserted: break
        case .duplicate: statistics.packetsDiscarded += 1
        case .replacedCopy: statistics.fecPacketsDiscarded += 1
        }
    }

    /// Takes the copy of an earlier packet that the one which was inserted last has brought along (RFC 2198). It fills the
    /// place of a packet that is missing, and never replaces one.
    ///
    /// - Parameters:
    ///   - offset: By how many ticks it is earlier than that packet.
    ///   - place: 1 for the last copy in that packet, 2 for the one before, …
    ///   - sequenceNumber: Of that packet, as its `timestamp` and `arrival` are.
    @usableFromInline package mutating func insertCopy(
        _ payload: RawSpan, offset: UInt32, place: Int, sequenceNumber: Int64, timestamp: RTPTimestamp,
        payloadType: RTPPayloadType, arrival: Instant
    ) {
        statistics.fecPacketsReceived += 1
        if !fill(payload, offset, place, sequenceNumber, timestamp, payloadType, arrival) {
            statistics.fecPacketsDiscarded += 1
        }
    }

    private mutating func fill(
        _ payload: RawSpan, _ offset: UInt32, _ place: Int, _ sequenceNumber: Int64, _ timestamp: RTPTimestamp,
        _ payloadType: RTPPayloadType, _ arrival: Instant
    ) -> Bool {
        guard let decoding = decoders[payloadType], let lastTimestamp, offset > 0, payload.byteCount > 0,
            payload.byteCount <= AudioPacketBuffer.maximumPacketSize
        else { return false }
        noteCopyOffset(.nanoseconds(Int64(offset) * 1_000_000_000 / decoding.clockRate))
        let duration = packetDuration.nanoseconds * decoding.clockRate / 1_000_000_000
        let time = extendedTimestamp &+ Int64(lastTimestamp.distance(to: timestamp)) - Int64(offset)
        if phase == .playing {
            // The time that was concealed instead is over.
            let concealed = current.map { Int64(concealedRun) * $0.clockRate / Int64($0.decoder.sampleRate) } ?? 0
            guard time >= expected, time + duration > expected + concealed else { return false }
        }
        return packets.insertCopy(
            payload, timestamp: time, latest: sequenceNumber - Int64(max(place, 1)), duration: duration,
            after: phase == .playing ? expectedSequenceNumber - 1 : nil, payloadType: payloadType, arrival: arrival)
    }

    private mutating func noteCopyOffset(_ distance: TimeDelta) {
        guard distance <= packetDuration * Self.longestWaitForCopy else { return }
        if distance >= largestCopyOffset || packetsSinceLargestOffset > Self.longestWithoutCopy {
            largestCopyOffset = distance
            packetsSinceLargestOffset = 0
        }
    }

    private mutating func extend(_ timestamp: RTPTimestamp) -> Int64 {
        if let lastTimestamp {
            extendedTimestamp &+= Int64(lastTimestamp.distance(to: timestamp))
        } else {
            extendedTimestamp = Int64(timestamp.rawValue)
        }
        lastTimestamp = timestamp
        return extendedTimestamp
    }

    /// Waits for packets as at the start.
    private mutating func restart() {
        statistics.packetsDiscarded += packets.count
        packets.removeAll()
        arrivals.reset()
        phase = .waiting
        smoothedLevel = nil
    }

    // MARK: Output

    /// Writes the next 10 ms of audio to `output`.
    ///
    /// - Parameter output: Room for ``maximumOutputSamples`` of two channels.
    /// - Returns: `nil` until the first packet is due: play silence.
    @usableFromInline package mutating func render(into output: UnsafeMutableBufferPointer<Int16>, at now: Instant)
        -> Output?
    {
        guard output.count >= 2 * Self.maximumOutputSamples, begin(at: now), var decoding = current else { return nil }
        noteLevel()
        var realSamples = decoded.count / decoding.decoder.channels
        var blockSize = decoding.decoder.sampleRate / 100
        var attempts = 0
        while realSamples < blockSize, attempts < 32 {
            attempts += 1
            guard decodeNext(at: now) else { break }
            // The codec may have changed.
            decoding = current ?? decoding
            blockSize = decoding.decoder.sampleRate / 100
            realSamples = decoded.count / decoding.decoder.channels
        }
        stretch(decoding, at: now)
        realSamples = decoded.count / decoding.decoder.channels
        while decoded.count < blockSize * decoding.decoder.channels {
            let missing = blockSize - decoded.count / decoding.decoder.channels
            // Conceals only up to where the next packet's copy begins.
            let rest = attempts < 32 ? min(missing, samplesUntilCopy(decoding) ?? missing) : missing
            conceal(rest, decoding)
            attempts += 1
            if rest < missing, decodeNext(at: now) { realSamples = blockSize }
        }
        return emit(blockSize, real: realSamples, decoding, into: output)
    }

    /// Whether playout has started, or starts now.
    private mutating func begin(at now: Instant) -> Bool {
        guard phase == .waiting else { return true }
        guard let first = packets.first else { return current != nil }
        // The first packet does not show the jitter; a good path needs the duration of one packet.
        guard now - firstArrival >= extraDelay || packets.count > 2 else { return current != nil }
        use(first.payloadType)
        expected = first.timestamp
        expectedSequenceNumber = first.sequenceNumber
        phase = .playing
        concealedRun = 0
        return current != nil
    }

    private mutating func noteLevel() {
        let level = Double(level.nanoseconds)
        smoothedLevel = smoothedLevel.map { $0 + (level - $0) * 0.1 } ?? level
    }

    /// Decodes the next packet, or recovers what it can of it.
    ///
    /// - Returns: Whether samples were added or a useless packet removed; `false` when nothing can be played now.
    private mutating func decodeNext(at now: Instant) -> Bool {
        guard phase == .playing, let first = packets.first, let decoding = current else { return false }
        if first.sequenceNumber < expectedSequenceNumber || first.timestamp < expected {
            // Its time was filled otherwise. A sender may also step back slightly at a codec change.
            if first.sequenceNumber < expectedSequenceNumber {
                packets.removeFirst()
                statistics.packetsDiscarded += 1
                return true
            }
            expected = first.timestamp
        }
        let gap = first.timestamp - expected
        if gap > 0 {
            let concealed = Int64(concealedRun) * decoding.clockRate / Int64(decoding.decoder.sampleRate)
            if gap > concealed {
                if recover(gap: gap - concealed, missing: first.sequenceNumber - expectedSequenceNumber, decoding) {
                    return true
                }
                // The packet is not due yet. But with more than twice the target buffered, waiting would only add
                // delay.
                let excess = smoothedLevel.map { $0 > Double(targetDelay.nanoseconds) * 2 } ?? false
                if !excess || gap - concealed < decoding.clockRate / 50 { return false }
            }
        }
        return decodeFirst(at: now)
    }

    private mutating func decodeFirst(at now: Instant) -> Bool {
        guard let first = packets.first else { return false }
        use(first.payloadType)
        let packet = packets[0]
        packets.removeFirst()
        let missing = min(max(0, packet.sequenceNumber - expectedSequenceNumber), 10)
        for _ in 0..<missing { noteArrival(isLost: true) }
        noteArrival(isLost: packet.isCopy)
        expectedSequenceNumber = packet.sequenceNumber + 1
        guard let decoding = current else { return true }
        let room = UnsafeMutableBufferPointer(rebasing: scratch[..<Self.scratchSamples])
        let count = packet.bytes.withUnsafeBytes {
            decoding.decoder.decode(RawSpan(_unsafeBytes: $0), into: room)
        }
        guard let count, count >= 0, count * decoding.decoder.channels <= Self.scratchSamples else {
            statistics.packetsUndecodable += 1
            expected = packet.timestamp + packetDuration.nanoseconds * decoding.clockRate / 1_000_000_000
            return true
        }
        expected = packet.timestamp + Int64(count) * decoding.clockRate / Int64(decoding.decoder.sampleRate)
        statistics.jitterBufferEmittedCount += count
        statistics.jitterBufferDelay = statistics.jitterBufferDelay + (now - packet.arrival) * Int64(count)
        statistics.jitterBufferTargetDelay = statistics.jitterBufferTargetDelay + targetDelay * Int64(count)
        append(count, decoding)
        return true
    }

    /// Recovers the packet before the next one from the copy in that one.
    ///
    /// - Parameter gap: The ticks before the next packet for which nothing was played.
    private mutating func recover(gap: Int64, missing: Int64, _ decoding: Decoding) -> Bool {
        guard missing >= 1, packets.first?.payloadType == currentPayloadType else { return false }
        let samples = packetSamples(decoding)
        let gap = Int(clamping: gap * Int64(decoding.decoder.sampleRate) / decoding.clockRate)
        // Only the packet right before: an earlier one is concealed first. Concealed time is not played again, and a
        // short rest is not worth a seam.
        guard samples > 0, gap <= samples, gap * 4 >= samples else { return false }
        let packet = packets[0]
        let room = UnsafeMutableBufferPointer(rebasing: scratch[..<Self.scratchSamples])
        let count = packet.bytes.withUnsafeBytes { bytes -> Int? in
            let payload = RawSpan(_unsafeBytes: bytes)
            guard decoding.decoder.carriesPreviousPacket(payload) else { return nil }
            return decoding.decoder.recoverPacket(before: payload, samples: samples, into: room)
        }
        guard let count, count >= gap, count * decoding.decoder.channels <= Self.scratchSamples else { return false }
        statistics.packetsRecovered += 1
        // Includes the packets before it, which were not recovered.
        for _ in 0..<min(missing, 10) { noteArrival(isLost: true) }
        expected = packet.timestamp
        expectedSequenceNumber = packet.sequenceNumber
        append(count, from: count - gap, decoding)
        return true
    }

    private mutating func noteArrival(isLost: Bool) {
        lossRate += ((isLost ? 1 : 0) - lossRate) * 0.01
        longTermLossRate += ((isLost ? 1 : 0) - longTermLossRate) * 0.001
    }

    private func packetSamples(_ decoding: Decoding) -> Int {
        Int(packetDuration.nanoseconds * Int64(decoding.decoder.sampleRate) / 1_000_000_000)
    }

    /// The samples to conceal before the rest can be recovered from the next packet; `nil` when it has no copy.
    private func samplesUntilCopy(_ decoding: Decoding) -> Int? {
        guard phase == .playing, let first = packets.first, first.sequenceNumber > expectedSequenceNumber,
            first.payloadType == currentPayloadType
        else { return nil }
        let gap = (first.timestamp - expected) * Int64(decoding.decoder.sampleRate) / decoding.clockRate
        let rest = Int(clamping: gap) - concealedRun - packetSamples(decoding)
        let isCopy = packets[0].bytes.withUnsafeBytes {
            decoding.decoder.carriesPreviousPacket(RawSpan(_unsafeBytes: $0))
        }
        return isCopy && rest > 0 ? rest : nil
    }

    /// Appends the decoder's output from the scratch memory, without its first `first` samples.
    private mutating func append(_ count: Int, from first: Int = 0, _ decoding: Decoding) {
        let channels = decoding.decoder.channels
        if concealedRun > 0 {
            if isConcealedByCodec {
                if first > 0 { smoothDiscontinuity(at: first, until: count, decoding) }
            } else {
                fadeIn(from: first, until: count, decoding)
            }
        }
        let new = UnsafeBufferPointer(
            rebasing: UnsafeBufferPointer(scratch)[(first * channels)..<(count * channels)])
        decoded.append(contentsOf: new)
        concealment?.addReceived(new)
        concealedRun = 0
    }

    /// Cross-fades from the concealment generated here to the received audio.
    private mutating func fadeIn(from first: Int, until count: Int, _ decoding: Decoding) {
        let (rate, channels) = (decoding.decoder.sampleRate, decoding.decoder.channels)
        let length = min(Int(Self.seam.nanoseconds * Int64(rate) / 1_000_000_000), count - first)
        let old = UnsafeMutableBufferPointer(
            rebasing: scratch[Self.scratchSamples..<(Self.scratchSamples + length * channels)])
        concealment?.conceal(into: old, after: concealedRun)
        for index in 0..<(length * channels) {
            let place = first * channels + index
            scratch[place] = AudioTimeStretch.blend(old[index], scratch[place], index / channels, length)
        }
    }

    /// Smooths the step between the codec's concealment and audio that does not continue it.
    private func smoothDiscontinuity(at first: Int, until count: Int, _ decoding: Decoding) {
        let (rate, channels) = (decoding.decoder.sampleRate, decoding.decoder.channels)
        let length = min(Int(Self.seam.nanoseconds * Int64(rate) / 1_000_000_000), count - first)
        let last = decoded.count >= channels ? decoded.suffix(channels) : played.suffix(channels)
        guard last.count == channels, length > 0 else { return }
        for channel in 0..<channels {
            let step = Int(last[last.startIndex + channel]) - Int(scratch[first * channels + channel])
            for index in 0..<length {
                let place = (first + index) * channels + channel
                scratch[place] = Int16(clamping: Int(scratch[place]) + step * (length - index) / length)
            }
        }
    }

    /// Switches to the decoder of a payload type.
    private mutating func use(_ type: RTPPayloadType) {
        guard type != currentPayloadType, let decoding = decoders[type] else { return }
        let before = current?.decoder
        currentPayloadType = type
        current = decoding
        decoding.decoder.reset()
        let isAlike = before?.sampleRate == decoding.decoder.sampleRate && before?.channels == decoding.decoder.channels
        if !isAlike || concealment == nil {
            decoded.removeAll(keepingCapacity: true)
            played.removeAll(keepingCapacity: true)
            concealment = AudioConcealment(
                sampleRate: decoding.decoder.sampleRate, channels: decoding.decoder.channels)
        }
    }

    // MARK: Time stretching and concealment

    /// Adjusts the delay towards its target by stretching time.
    private mutating func stretch(_ decoding: Decoding, at now: Instant) {
        blocksUntilStretch = max(0, blocksUntilStretch - 1)
        guard let smoothedLevel, blocksUntilStretch == 0, concealedRun == 0, phase == .playing else { return }
        // Packets held for the target delay amount to half a packet more on average.
        let lower = Double((targetDelay + packetDuration / 2).nanoseconds)
        // No change between the two limits: a packet of slack keeps the two from alternating.
        let upper = lower + Double(max(packetDuration, .milliseconds(20)).nanoseconds)
        let (rate, channels) = (decoding.decoder.sampleRate, decoding.decoder.channels)
        let needed = AudioTimeStretch.neededSamples(sampleRate: rate) * channels
        if smoothedLevel > upper {
            let isUrgent = smoothedLevel > 2 * upper
            // Not beyond a change of codec: this block is still of the codec before.
            while decoded.count < needed, packets.first?.payloadType == currentPayloadType, decodeNext(at: now) {}
            guard decoded.count >= needed else { return }
            let removed = AudioTimeStretch.shorten(
                &decoded, channels: channels, sampleRate: rate, isUrgent: isUrgent)
            statistics.removedSamplesForAcceleration += removed
            note(removed: removed, rate: rate)
            // One period per 20 ms is the fastest that speech tolerates; in urgent cases one period per block.
            blocksUntilStretch = removed == 0 || isUrgent ? 1 : 3
        } else if smoothedLevel < lower {
            let inserted = AudioTimeStretch.lengthen(&decoded, after: played, channels: channels, sampleRate: rate)
            statistics.insertedSamplesForDeceleration += inserted
            note(removed: -inserted, rate: rate)
            blocksUntilStretch = 3
        }
    }

    private mutating func note(removed samples: Int, rate: Int) {
        smoothedLevel = smoothedLevel.map { $0 - Double(samples) * 1e9 / Double(rate) }
    }

    /// Conceals `count` samples of each channel.
    private mutating func conceal(_ count: Int, _ decoding: Decoding) {
        let (rate, channels) = (decoding.decoder.sampleRate, decoding.decoder.channels)
        let output = UnsafeMutableBufferPointer(rebasing: scratch[..<Self.scratchSamples])
        var count = count
        if concealedRun == 0 { statistics.concealmentEvents += 1 }
        // Prefers the codec's own concealment, for a second at most. It generates whole frames of 2.5 ms, and the next
        // audio continues where they end.
        let frame = max(1, rate / 400)
        let whole = (count + frame - 1) / frame * frame
        let made = concealedRun < rate ? decoding.decoder.conceal(samples: whole, into: output) : nil
        isConcealedByCodec = made == whole
        if isConcealedByCodec { count = whole }
        let room = UnsafeMutableBufferPointer(rebasing: scratch[..<(count * channels)])
        if isConcealedByCodec {
            concealment?.addNoise(to: room, after: concealedRun)
        } else {
            concealment?.conceal(into: room, after: concealedRun)
        }
        decoded.append(contentsOf: room)
        concealedRun += count
        statistics.concealedSamples += count
        if concealedRun * 1_000 / rate > AudioConcealment.fadeEnds { statistics.silentConcealedSamples += count }
    }

    private mutating func emit(
        _ count: Int, real: Int, _ decoding: Decoding, into output: UnsafeMutableBufferPointer<Int16>
    ) -> Output {
        let channels = decoding.decoder.channels
        let behind = Int64(decoded.count / channels) * decoding.clockRate / Int64(decoding.decoder.sampleRate)
        for index in 0..<(count * channels) { output[index] = decoded[index] }
        played.append(contentsOf: decoded[..<(count * channels)])
        let enough = AudioTimeStretch.neededSamples(sampleRate: decoding.decoder.sampleRate) * channels
        if played.count > enough { played.removeFirst(played.count - enough) }
        decoded.removeFirst(count * channels)
        statistics.totalSamplesReceived += count
        return Output(
            sampleCount: count, sampleRate: decoding.decoder.sampleRate, channels: channels,
            timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: expected - behind)), isReal: real > 0)
    }
}
