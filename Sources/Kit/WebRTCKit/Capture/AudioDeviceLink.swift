internal import Dispatch
internal import RTC
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// The delegate of an app's audio device. The device may keep it: it keeps neither the device nor the controller.
final class AudioDeviceLink: RTCAudioDeviceDelegate {
    /// The queue on which the device is called.
    let queue: DispatchQueue
    private let isOnQueue = DispatchSpecificKey<Bool>()
    private let recording = Mutex(Recording())
    private let playout = Mutex(PlayoutMixer())
    private let onChange = Mutex<(@Sendable () -> Void)?>(nil)

    private struct Recording {
        var buffer = RecordingBuffer()
        var sink: (any AudioSink)?
    }

    init(queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: isOnQueue, value: true)
    }

    // MARK: State set by the kit

    /// - Parameter action: Called on ``queue`` when the device reports changed parameters.
    func setOnChange(_ action: (@Sendable () -> Void)?) {
        onChange.withLock { $0 = action }
    }

    /// - Parameter sink: Receives recorded audio; `nil` for none.
    func setSink(_ sink: (any AudioSink)?) {
        let old = recording.withLock { recording in
            defer { recording.sink = sink }
            recording.buffer.reset()
            return recording.sink
        }
        // The last reference to the old sink must not be released under the lock.
        withExtendedLifetime(old) {}
    }

    func setInputFormat(_ format: AudioDeviceFormat?) {
        recording.withLock { recording in
            if recording.buffer.format != format { recording.buffer.setFormat(format) }
        }
    }

    func setOutputFormat(_ format: AudioDeviceFormat?) {
        playout.withLock { if $0.format != format { $0.setFormat(format) } }
    }

    func addPlayer(_ track: ObjectIdentifier) {
        playout.withLock { $0.add(track) }
    }

    func removePlayer(_ track: ObjectIdentifier) {
        playout.withLock { $0.remove(track) }
    }

    /// Accepts audio of a track to play.
    func play(_ frame: AudioFrame, of track: ObjectIdentifier) {
        playout.withLock { $0.append(frame, of: track) }
    }

    /// The time from the timestamp of a track's audio until it is heard.
    func playoutDelay(of track: ObjectIdentifier) -> TimeDelta? { playout.withLock { $0.playoutDelay(of: track) } }

    var recordingCounts: RecordingBuffer.Counts { recording.withLock { $0.buffer.counts } }
    /// The samples per channel that were dropped or missing.
    var playoutCounts: (dropped: Int, missing: Int) { playout.withLock { $0.counts } }

    // MARK: Notifications of the device

    @discardableResult
    func deliverRecordedSamples(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        let now = MediaClock.now
        let (sink, frames): ((any AudioSink)?, [AudioFrame]?) = recording.withLock { recording in
            guard let sink = recording.sink else { return (nil, []) }
            return (sink, recording.buffer.append(samples, at: now))
        }
        guard let frames else { return false }
        for frame in frames { sink?.deliver(frame) }
        return true
    }

    @discardableResult
    func getPlayoutSamples(_ samples: UnsafeMutableBufferPointer<Int16>) -> Bool {
        let now = MediaClock.now
        return playout.withLock { $0.read(into: samples, at: now) }
    }

    var inputNumberOfChannels: Int { recording.withLock { $0.buffer.format?.channels ?? 1 } }

    var preferredInputSampleRate: Double { Double(RecordingBuffer.sampleRate) }
    var preferredInputIOBufferDuration: Double { 0.01 }
    var preferredOutputSampleRate: Double { Double(RecordingBuffer.sampleRate) }
    var preferredOutputIOBufferDuration: Double { 0.01 }

    func notifyAudioInputParametersChange() { notifyChange() }
    func notifyAudioOutputParametersChange() { notifyChange() }
    func notifyAudioInputInterrupted() { recording.withLock { $0.buffer.reset() } }
    func notifyAudioOutputInterrupted() { playout.withLock { $0.reset() } }

    private func notifyChange() {
        queue.async { [self] in onChange.withLock { $0 }?() }
    }

    func dispatchAsync(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }

    func dispatchSync(_ block: @Sendable () -> Void) {
        if DispatchQueue.getSpecific(key: isOnQueue) == true {
            block()
        } else {
            queue.sync(execute: block)
        }
    }
}
