internal import RTCFrames
internal import RTCWire

/// Mixes the received tracks for an audio device.
struct PlayoutMixer: Sendable {
    private(set) var format: AudioDeviceFormat?
    private var buffers: [ObjectIdentifier: PlayoutBuffer] = [:]
    private var delays: [ObjectIdentifier: PlayoutDelayMeter] = [:]
    /// The device's last request.
    private var lastRead: (time: Instant, samples: Int)?

    /// - Parameter format: `nil` if the device's format is not supported, or it does not play.
    mutating func setFormat(_ format: AudioDeviceFormat?) {
        // With another latency alone, as of another route, what is waiting is played on.
        let isSame = format != nil && format?.with(latency: .zero) == self.format?.with(latency: .zero)
        self.format = format
        guard !isSame else { return }
        forgetDelays()
        for track in buffers.keys { buffers[track]?.setFormat(format) }
    }

    mutating func add(_ track: ObjectIdentifier) {
        var buffer = PlayoutBuffer()
        buffer.setFormat(format)
        buffers[track] = buffer
    }

    mutating func remove(_ track: ObjectIdentifier) {
        buffers[track] = nil
        delays[track] = nil
    }

    /// Discards waiting samples.
    mutating func reset() {
        forgetDelays()
        for track in buffers.keys { buffers[track]?.reset() }
    }

    private mutating func forgetDelays() {
        delays = [:]
        lastRead = nil
    }

    mutating func append(_ frame: AudioFrame, of track: ObjectIdentifier) {
        guard let buffer = buffers[track] else { return }
        noteDelay(of: frame, behind: buffer.waitingSamples, track)
        buffers[track]?.append(frame)
    }

    /// Measures when a frame will be heard: after what the device has requested last and what is waiting.
    private mutating func noteDelay(of frame: AudioFrame, behind waiting: Int, _ track: ObjectIdentifier) {
        guard let format, let lastRead else { return }
        let waiting = format.duration(waiting)
        let next = max(lastRead.time + format.duration(lastRead.samples), frame.timestamp)
        delays[track, default: PlayoutDelayMeter()].note((next + waiting + format.latency) - frame.timestamp)
    }

    /// The time from a frame's timestamp until it is heard, smoothed; `nil` while the device does not play.
    func playoutDelay(of track: ObjectIdentifier) -> TimeDelta? { delays[track]?.delay }

    /// Fills `samples` for the device.
    ///
    /// - Parameter now: The time of the device's request.
    /// - Returns: Whether there were any samples.
    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>, at now: Instant) -> Bool {
        if let format { lastRead = (now, samples.count / format.channels) }
        guard let first = buffers.keys.first, var isSound = buffers[first]?.read(into: samples) else {
            samples.update(repeating: 0)
            return false
        }
        for track in buffers.keys.dropFirst() {
            var mixed = [Int16](repeating: 0, count: samples.count)
            guard mixed.withUnsafeMutableBufferPointer({ buffers[track]?.read(into: $0) }) == true else { continue }
            isSound = true
            for index in samples.indices {
                samples[index] = Int16(clamping: Int(samples[index]) + Int(mixed[index]))
            }
        }
        return isSound
    }

    /// The samples per channel that were dropped or missing, of all current tracks.
    var counts: (dropped: Int, missing: Int) {
        buffers.values.reduce((0, 0)) { ($0.0 + $1.dropped, $0.1 + $1.missing) }
    }
}
