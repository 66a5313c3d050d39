internal import Logging
internal import RTCCodecs
internal import RTCFrames
internal import RTCMedia
internal import RTCPeer
internal import RTCWire
internal import Synchronization

/// Turns audio packets, as they arrive, into a continuous sequence of 10 ms blocks: the jitter buffer between the
/// network thread and the playout thread.
final class AudioReceivePipeline: AudioPacketSink, Sendable {
    fileprivate struct State: ~Copyable {
        var buffer = AudioJitterBuffer()
        /// The codec of each payload type.
        var codecs: [RTPPayloadType: RTPCodec] = [:]
        /// The output memory of ``buffer``.
        var samples = [Int16](repeating: 0, count: 2 * AudioJitterBuffer.maximumOutputSamples)
        var resampler: AudioResampler?
        var presentation: (timestamp: RTPTimestamp, time: Instant)?
        var statistics = AudioReceiveStatistics()
        var isReceiving = false
        var isClosed = false
    }

    /// The sample rate of the track.
    static let sampleRate = 48_000

    private let state = Mutex(State())
    private let track: AudioTrack
    private let log: Logger

    init(track: AudioTrack, log: Logger) {
        self.track = track
        self.log = log
    }

    // MARK: Calls from the event loop

    /// Sets the codecs that may be received from now on.
    func setCodecs(_ codecs: [MediaSectionParameters.Codec]) {
        for each in codecs where each.codec.format != nil {
            do throws(CodecError) {
                try state.withLock { state throws(CodecError) in
                    guard !state.isClosed, state.codecs[each.payloadType] != each.codec else { return }
                    let decoder = try CodecCatalog.system.makeAudioDecoder(for: each.codec)
                    state.codecs[each.payloadType] = each.codec
                    state.buffer.setDecoder(decoder, for: each.payloadType, clockRate: each.codec.clockRate)
                }
            } catch {
                log.warning("Sound in \(each.codec.name) cannot be received: \(error)")
            }
        }
    }

    /// Sets whether the remote description says that the peer sends. While it does not, nothing is played and the track
    /// is muted.
    func setReceiving(_ isReceiving: Bool) {
        let isChanged = state.withLock { state in
            defer { state.isReceiving = isReceiving }
            return state.isReceiving != isReceiving && !state.isClosed
        }
        guard isChanged else { return }
        if isReceiving {
            AudioPlayout.shared.add(self)
        } else {
            AudioPlayout.shared.remove(self)
            mute()
        }
    }

    /// Mutes the track, because nothing arrives any more.
    func mute() {
        track.core.setMuted(true)
        reset()
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.isReceiving = false
            state.codecs = [:]
            // Frees the decoders too.
            state.buffer = AudioJitterBuffer()
        }
        AudioPlayout.shared.remove(self)
    }

    // MARK: AudioPacketSink

    func receive(_ payload: RawSpan, _ packet: AudioPacketInfo) {
        let isTaken = payload.withUnsafeBytes { bytes in
            state.withLock { state in
                guard state.isReceiving else { return false }
                state.buffer.insert(
                    RawSpan(_unsafeBytes: bytes), sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
                    payloadType: packet.codec.payloadType, arrival: packet.arrival)
                return true
            }
        }
        if isTaken { track.core.setMuted(false) }
    }

    func receiveCopy(_ payload: RawSpan, _ copy: AudioCopyInfo, in packet: AudioPacketInfo) {
        payload.withUnsafeBytes { bytes in
            state.withLock { state in
                guard state.isReceiving else { return }
                state.buffer.insertCopy(
                    RawSpan(_unsafeBytes: bytes), offset: copy.timestampOffset, place: copy.place,
                    sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
                    payloadType: packet.codec.payloadType, arrival: packet.arrival)
            }
        }
    }

    func reset() {
        state.withLock { state in
            state.buffer.reset()
            state.presentation = nil
            state.resampler = nil
            state.statistics.audioLevel = 0
        }
    }

    func setExtraDelay(_ delay: TimeDelta) {
        state.withLock { $0.buffer.extraDelay = delay }
    }

    var presentation: (timestamp: RTPTimestamp, time: Instant)? { state.withLock { $0.presentation } }

    var playoutDelay: TimeDelta { track.core.updatePlayoutDelay() ?? .zero }

    // MARK: Playout

    /// Delivers the next 10 ms, to be passed to a device at `time`, to the track. Does nothing before the first packet is due.
    func render(at time: Instant) {
        let isWatched = track.core.isWatched
        let frame: AudioFrame? = state.withLock { state in
            guard !state.isClosed else { return nil }
            return state.render(at: time, isWatched: isWatched)
        }
        if let frame { track.core.deliver(frame) }
    }

    var statistics: (sound: AudioReceiveStatistics, buffer: AudioJitterBufferStatistics) {
        state.withLock { state in (state.statistics, state.buffer.statistics) }
    }
}

extension AudioReceivePipeline.State {
    fileprivate mutating func render(at time: Instant, isWatched: Bool) -> AudioFrame? {
        var samples = self.samples
        // Released here, so that writing does not copy it.
        self.samples = []
        defer { self.samples = samples }
        let output = samples.withUnsafeMutableBufferPointer { buffer.render(into: $0, at: time) }
        guard let output else { return nil }
        if let timestamp = output.timestamp { presentation = (timestamp, time) }
        let count = output.sampleCount * output.channels
        samples.withUnsafeBufferPointer { all in
            statistics.note(UnsafeBufferPointer(rebasing: all.prefix(count)), duration: AudioPlayout.period)
        }
        guard isWatched else { return nil }
        let sound: [Int16]
        if output.sampleRate == AudioReceivePipeline.sampleRate {
            sound = Array(samples.prefix(count))
        } else {
            sound = resample(samples, count: count, rate: output.sampleRate, channels: output.channels)
        }
        return AudioFrame(
            samples: sound, sampleRate: AudioReceivePipeline.sampleRate, channels: output.channels, timestamp: time)
    }

    private mutating func resample(_ samples: [Int16], count: Int, rate: Int, channels: Int) -> [Int16] {
        var resampler = resampler
        self.resampler = nil
        if resampler.map({ $0.inputRate != rate || $0.channels != channels }) ?? true {
            resampler = AudioResampler(from: rate, to: AudioReceivePipeline.sampleRate, channels: channels)
        }
        var sound: [Int16] = []
        sound.reserveCapacity(2 * AudioJitterBuffer.maximumOutputSamples)
        samples.withUnsafeBufferPointer { samples in
            resampler?.convert(UnsafeBufferPointer(rebasing: samples.prefix(count)), into: &sound)
        }
        self.resampler = resampler
        return sound
    }
}

/// The playout statistics, as defined by W3C webrtc-stats.
struct AudioReceiveStatistics: Sendable {
    /// The level of the last 10 ms: 0 to 1.
    var audioLevel = 0.0
    var totalAudioEnergy = 0.0
    var totalSamplesDuration = TimeDelta.zero

    mutating func note(_ samples: UnsafeBufferPointer<Int16>, duration: TimeDelta) {
        let loudness = AudioLoudness(of: samples)
        audioLevel = loudness.level
        totalAudioEnergy += loudness.energy * duration.seconds
        totalSamplesDuration = totalSamplesDuration + duration
    }
}
