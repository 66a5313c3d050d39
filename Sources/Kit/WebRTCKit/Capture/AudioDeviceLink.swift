internal import Dispatch
internal import RTC
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// What an app's audio device talks to. The device may keep it for as long as it likes: it keeps neither the device
/// nor the controller.
final class AudioDeviceLink: RTCAudioDeviceDelegate {
    /// On which the device is called.
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

    /// - Parameter action: Called on ``queue`` when the device says that parameters have changed.
    func setOnChange(_ action: (@Sendable () -> Void)?) {
        onChange.withLock { $0 = action }
    }

    /// - Parameter sink: Who gets what is recorded; `nil` for nobody.
    func setSink(_ sink: (any AudioSink)?) {
        let old = recording.withLock { recording in
            defer { recording.sink = sink }
            recording.buffer.reset()
            return recording.sink
        }
        // What goes with the last reference to it does not go under the lock.
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

    /// Takes what is to be played of a track.
    func play(_ frame: AudioFrame, of track: ObjectIdentifier) {
        playout.withLock { $0.append(frame, of: track) }
    }

    var recordingCounts: RecordingBuffer.Counts { recording.withLock { $0.buffer.counts } }
    /// In samples of each channel.
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
        playout.withLock { $0.read(into: samples) }
    }

    var inputNumberOfChannels: Int { recording.withLock { $0.buffer.format?.channels ?? 1 } }

    var preferredInputSampleRate: Double { Double(RecordingBuffer.sampleRate) }
    var preferredInputIOBufferDuration: Double { 0.01 }
    var preferredOutputSampleRate: Double { Double(RecordingBuffer.sampleRate) }
    var preferredOutputIOBufferDuration: Double { 0.01 }

    func notifyAudioInputParametersChange() { tellOfChange() }
    func notifyAudioOutputParametersChange() { tellOfChange() }
    func notifyAudioInputInterrupted() { recording.withLock { $0.buffer.reset() } }
    func notifyAudioOutputInterrupted() { playout.withLock { $0.reset() } }

    private func tellOfChange() {
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
