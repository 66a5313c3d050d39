public import RTCWire

/// Turns audio packets that arrive when they like into sound that never stops.
///
/// Packets go in as they come; every 10 ms the play-out takes 10 ms of samples. Between the two the buffer holds back just
/// as much as the network's jitter asks for, and moves there by playing a little faster or slower. What is missing is
/// recovered from a packet behind it, or concealed. It is sans-IO and has no thread: whoever shares it between a
/// network and a play-out thread puts a lock around it.
///
/// ```swift
/// buffer.setDecoder(opus, for: RTPPayloadType(111), clockRate: 48_000)
/// buffer.insert(payload, sequenceNumber: 4_711, timestamp: header.timestamp, payloadType: header.payloadType, arrival: now)
/// let sound = buffer.render(into: &samples, at: now)      // each 10 ms
/// ```
public struct AudioJitterBuffer: ~Copyable {
    /// What ``render(into:at:)`` has put out: 10 ms of it.
    public struct Output: Sendable, Hashable {
        /// Samples of one channel.
        public var sampleCount: Int
        /// In hertz.
        public var sampleRate: Int
        public var channels: Int
        /// The RTP timestamp of the first sample, for lip sync; `nil` while nothing real was played.
        public var timestamp: RTPTimestamp?
        /// Whether anything in it came from a packet.
        public var isReal: Bool
    }

    /// The least that is held back.
    public static let minimumDelay: TimeDelta = .milliseconds(5)
    /// The most that jitter may make it hold back.
    public static let maximumDelay: TimeDelta = .seconds(2)
    /// Samples of one channel that an output may have: 10 ms at 48 kHz.
    public static let maximumOutputSamples = 480

    /// From this share of lost packets on, it is worth waiting for what recovers them.
    static let noticeableLoss = 0.01

    /// The same where packets bring earlier ones along, of a longer time: rows of lost packets are seldom.
    static let noticeableLongTermLoss = 0.0025
    /// Codecs copy what is spoken, not the pauses: as many packets without a copy are still a stream that has them.
    static let longestWithoutCopy = 250
    /// Copies of packets that are further back are taken, and not waited for.
    static let longestWaitForCopy: Int64 = 6
    /// The cross-fade from sound that was made up to what was received.
    static let seam = TimeDelta.milliseconds(5)

    /// 120 ms of stereo at 48 kHz.
    private static let scratchSamples = 48_000 / 1_000 * 120 * 2

    struct Decoding {
        var decoder: any AudioDecoder
        var clockRate: Int64
    }

    private enum Phase {
        /// Nothing has been played; the first packets are waited for.
        case waiting
        case playing
    }

    /// Held back in addition, so that sound waits for the picture (lip sync).
    public var extraDelay = TimeDelta.zero
    public private(set) var statistics = AudioJitterBufferStatistics()

    private var phase = Phase.waiting
    private var packets = AudioPacketBuffer()
    private var arrivals = ArrivalDelayEstimator()
    private var decoders: [RTPPayloadType: Decoding] = [:]
    /// What decodes at present.
    private var current: Decoding?
    private var currentPayloadType: RTPPayloadType?
    private var concealment: AudioConcealment?
    /// Decoded samples that have not been played, interleaved.
    private var decoded: [Int16] = []
    /// What was played last, interleaved: 15 ms or a little more.
    private var played: [Int16] = []
    /// Whether the codec made up what was concealed last.
    private var isConcealedByCodec = false
    /// Where decoders put their samples, and behind them the ones that fade at a seam.
    private let scratch: UnsafeMutableBufferPointer<Int16>

    private var lastTimestamp: RTPTimestamp?
    private var extendedTimestamp: Int64 = 0
    /// The timestamp, without wrap-around, that comes after what was decoded last.
    private var expected: Int64 = 0
    private var expectedSequenceNumber: Int64 = 0
    /// The share of packets that were missing when they were due, lately.
    private var lossRate = 0.0
    private var longTermLossRate = 0.0
    /// Packets since one carried the one before it; few while there is a copy of what is spoken.
    private var packetsSinceCopy = longestWithoutCopy
    private var packetDuration: TimeDelta = .milliseconds(20)
    /// How far back the copies are that packets bring along, and the packets since one of them went that far.
    private var reach = TimeDelta.zero
    private var packetsSinceReach = 0
    /// Concealed since the last packet, in samples of one channel.
    private var concealedRun = 0
    private var firstArrival = Instant.zero
    /// The buffered time as the decisions see it: a mean over some packets.
    private var smoothedLevel: Double?
    private var blocksUntilStretch = 0

    public init() {
        scratch = .allocate(capacity: Self.scratchSamples + 2 * Self.maximumOutputSamples)
        scratch.initialize(repeating: 0)
    }

    deinit { scratch.deallocate() }

    /// Says what decodes packets of this type.
    ///
    /// - Parameter clockRate: Of the RTP timestamps, in hertz.
    public mutating func setDecoder(_ decoder: any AudioDecoder, for type: RTPPayloadType, clockRate: UInt32) {
        guard clockRate > 0, decoder.sampleRate % 100 == 0, (1...2).contains(decoder.channels) else { return }
        decoders[type] = Decoding(decoder: decoder, clockRate: Int64(clockRate))
        if type == currentPayloadType { currentPayloadType = nil }
    }

    public mutating func removeDecoder(for type: RTPPayloadType) {
        decoders[type] = nil
    }

    /// The delay that is aimed at.
    public var targetDelay: TimeDelta {
        var delay = max(arrivals.delay ?? Self.minimumDelay, Self.minimumDelay)
        // A lost packet can be recovered only if the one that has its copy is there when it is missed.
        if reach > .zero, longTermLossRate > Self.noticeableLongTermLoss {
            delay = delay + reach
        } else if packetsSinceCopy < Self.longestWithoutCopy, lossRate > Self.noticeableLoss {
            delay = delay + packetDuration
        }
        return min(delay, Self.maximumDelay) + max(.zero, min(extraDelay, Self.maximumDelay))
    }

    /// The time that what is in the buffer takes to play.
    public var level: TimeDelta {
        guard let current else { return .zero }
        var nanoseconds =
            Int64(decoded.count / current.decoder.channels) * 1_000_000_000
            / Int64(current.decoder.sampleRate)
        if let last = packets.lastTimestamp, last >= expected {
            // Timestamps are the other peer's: whatever they say, ten seconds are more than is ever kept.
            let ticks = min(last - expected, 10 * current.clockRate)
            nanoseconds += ticks * 1_000_000_000 / current.clockRate + packetDuration.nanoseconds
        }
        return .nanoseconds(nanoseconds)
    }

    /// Forgets what waits and begins anew, as for another stream: silence until its first packet's turn has come.
    /// Decoders, statistics and settings stay.
    public mutating func reset() {
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
        reach = .zero
        concealedRun = 0
        blocksUntilStretch = 0
    }

    // MARK: In

    /// Takes a packet's payload.
    ///
    /// - Parameters:
    ///   - sequenceNumber: Without wrap-around.
    ///   - timestamp: In ticks of the clock rate that its decoder was set with.
    public mutating func insert(
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
        packetsSinceReach += 1
        if packetsSinceReach > Self.longestWithoutCopy { reach = .zero }
        // A stream that jumps by seconds is another stream: a sender that began anew, or a long silence.
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
    public mutating func insertCopy(
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
        noteReach(.nanoseconds(Int64(offset) * 1_000_000_000 / decoding.clockRate))
        let duration = packetDuration.nanoseconds * decoding.clockRate / 1_000_000_000
        let time = extendedTimestamp &+ Int64(lastTimestamp.distance(to: timestamp)) - Int64(offset)
        if phase == .playing {
            // What was concealed instead is over.
            let concealed = current.map { Int64(concealedRun) * $0.clockRate / Int64($0.decoder.sampleRate) } ?? 0
            guard time >= expected, time + duration > expected + concealed else { return false }
        }
        return packets.insertCopy(
            payload, timestamp: time, latest: sequenceNumber - Int64(max(place, 1)), duration: duration,
            after: phase == .playing ? expectedSequenceNumber - 1 : nil, payloadType: payloadType, arrival: arrival)
    }

    private mutating func noteReach(_ distance: TimeDelta) {
        guard distance <= packetDuration * Self.longestWaitForCopy else { return }
        if distance >= reach || packetsSinceReach > Self.longestWithoutCopy {
            reach = distance
            packetsSinceReach = 0
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

    /// Waits for packets again, as at the beginning.
    private mutating func restart() {
        statistics.packetsDiscarded += packets.count
        packets.removeAll()
        arrivals.reset()
        phase = .waiting
        smoothedLevel = nil
    }

    // MARK: Out

    /// Puts the next 10 ms of sound into `output`.
    ///
    /// - Parameter output: Room for ``maximumOutputSamples`` of two channels.
    /// - Returns: `nil` until the first packet's turn has come: play silence.
    public mutating func render(into output: UnsafeMutableBufferPointer<Int16>, at now: Instant) -> Output? {
        guard output.count >= 2 * Self.maximumOutputSamples, begin(at: now), var decoding = current else { return nil }
        noteLevel()
        var realSamples = decoded.count / decoding.decoder.channels
        var blockSize = decoding.decoder.sampleRate / 100
        var attempts = 0
        while realSamples < blockSize, attempts < 32 {
            attempts += 1
            guard decodeNext(at: now) else { break }
            // Another codec may have taken over.
            decoding = current ?? decoding
            blockSize = decoding.decoder.sampleRate / 100
            realSamples = decoded.count / decoding.decoder.channels
        }
        stretch(decoding, at: now)
        realSamples = decoded.count / decoding.decoder.channels
        while decoded.count < blockSize * decoding.decoder.channels {
            let missing = blockSize - decoded.count / decoding.decoder.channels
            // No further than to where the next packet's copy begins.
            let rest = attempts < 32 ? min(missing, samplesUntilCopy(decoding) ?? missing) : missing
            conceal(rest, decoding)
            attempts += 1
            if rest < missing, decodeNext(at: now) { realSamples = blockSize }
        }
        return emit(blockSize, real: realSamples, decoding, into: output)
    }

    /// Whether play-out has begun, or may now.
    private mutating func begin(at now: Instant) -> Bool {
        guard phase == .waiting else { return true }
        guard let first = packets.first else { return current != nil }
        // What jitter there is cannot be known from the first packet; one packet's length is what a good path needs.
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

    /// Decodes the packet whose turn it is, or what can be recovered of it.
    ///
    /// - Returns: Whether samples were added, or a useless packet was removed; `false` when nothing can be played now.
    private mutating func decodeNext(at now: Instant) -> Bool {
        guard phase == .playing, let first = packets.first, let decoding = current else { return false }
        if first.sequenceNumber < expectedSequenceNumber || first.timestamp < expected {
            // Its time was filled otherwise. A sender may also go back a little when it changes codecs.
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
                // Its time has not come. If more is buffered than is aimed at, waiting would only add delay.
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

    /// Recovers the packet before the next one from what that carries of it.
    ///
    /// - Parameter gap: Ticks before the next one that nothing was played for.
    private mutating func recover(gap: Int64, missing: Int64, _ decoding: Decoding) -> Bool {
        guard missing >= 1, packets.first?.payloadType == currentPayloadType else { return false }
        let samples = packetSamples(decoding)
        let gap = Int(clamping: gap * Int64(decoding.decoder.sampleRate) / decoding.clockRate)
        // Only the one before it: an earlier one is concealed first. Of what was concealed already, nothing is played again,
        // and what would be a shred is not worth a seam.
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
        // With those before it, which nothing has brought back.
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

    /// How much has to be concealed before the rest can be recovered from the next packet; `nil` when it has no copy.
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

    /// Appends what the decoder put into the scratch memory, but for its first samples.
    private mutating func append(_ count: Int, from first: Int = 0, _ decoding: Decoding) {
        let channels = decoding.decoder.channels
        if concealedRun > 0 {
            if isConcealedByCodec {
                if first > 0 { hideStep(at: first, until: count, decoding) }
            } else {
                fadeIn(from: first, until: count, decoding)
            }
        }
        let new = UnsafeBufferPointer(
            rebasing: UnsafeBufferPointer(scratch)[(first * channels)..<(count * channels)])
        decoded.append(contentsOf: new)
        concealment?.heard(new)
        concealedRun = 0
    }

    /// Lets sound that was made up here go on for a moment under what was received, and fade.
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

    /// Levels out the step between what a codec made up and sound that is not what its decoder goes on with.
    private func hideStep(at first: Int, until count: Int, _ decoding: Decoding) {
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

    // MARK: Faster, slower, and made up

    /// Moves the delay towards its target.
    private mutating func stretch(_ decoding: Decoding, at now: Instant) {
        blocksUntilStretch = max(0, blocksUntilStretch - 1)
        guard let smoothedLevel, blocksUntilStretch == 0, concealedRun == 0, phase == .playing else { return }
        // Of packets that are held back for the target, half a packet more is there on average.
        let lower = Double((targetDelay + packetDuration / 2).nanoseconds)
        // Between the two limits nothing is done: a packet's length of slack, or the two would take turns.
        let upper = lower + Double(max(packetDuration, .milliseconds(20)).nanoseconds)
        let (rate, channels) = (decoding.decoder.sampleRate, decoding.decoder.channels)
        let needed = AudioTimeStretch.neededSamples(sampleRate: rate) * channels
        if smoothedLevel > upper {
            let isUrgent = smoothedLevel > 2 * upper
            while decoded.count < needed, decodeNext(at: now) {}
            guard decoded.count >= needed else { return }
            let removed = AudioTimeStretch.shorten(
                &decoded, channels: channels, sampleRate: rate, isUrgent: isUrgent)
            statistics.removedSamplesForAcceleration += removed
            note(removed: removed, rate: rate)
            // A period out of each 20 ms is the fastest that speech bears; in a hurry a period out of every block.
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

    /// Makes up `count` samples of each channel.
    private mutating func conceal(_ count: Int, _ decoding: Decoding) {
        let (rate, channels) = (decoding.decoder.sampleRate, decoding.decoder.channels)
        let output = UnsafeMutableBufferPointer(rebasing: scratch[..<Self.scratchSamples])
        var count = count
        if concealedRun == 0 { statistics.concealmentEvents += 1 }
        // A codec's own concealment knows best, but none lasts for ever. It makes whole frames of 2.5 ms, and what comes next
        // goes on where they end.
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
