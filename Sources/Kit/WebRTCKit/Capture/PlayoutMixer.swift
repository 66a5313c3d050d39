internal import RTCFrames

/// Mixes the received tracks for an audio device.
struct PlayoutMixer: Sendable {
    private(set) var format: AudioDeviceFormat?
    private var buffers: [ObjectIdentifier: PlayoutBuffer] = [:]

    /// - Parameter format: `nil` if the device's format is not supported, or it does not play.
    mutating func setFormat(_ format: AudioDeviceFormat?) {
        self.format = format
        for track in buffers.keys { buffers[track]?.setFormat(format) }
    }

    mutating func add(_ track: ObjectIdentifier) {
        var buffer = PlayoutBuffer()
        buffer.setFormat(format)
        buffers[track] = buffer
    }

    mutating func remove(_ track: ObjectIdentifier) { buffers[track] = nil }

    /// Discards waiting samples.
    mutating func reset() {
        for track in buffers.keys { buffers[track]?.reset() }
    }

    mutating func append(_ frame: AudioFrame, of track: ObjectIdentifier) { buffers[track]?.append(frame) }

    /// Fills `samples` for the device.
    ///
    /// - Returns: Whether there were any samples.
    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Bool {
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
