internal import RTCFrames

/// Keeps what is received until an audio device asks for it, at whatever rate and in pieces of whatever length.
///
/// The clocks of a network and of a loudspeaker are not the same, so that sooner or later too much or too little waits.
/// What is too much is dropped, the oldest first; what is missing is silence, which makes the store larger by so much.
struct PlayoutBuffer: Sendable {
    private(set) var format: AudioDeviceFormat?
    /// How many samples of each channel were dropped, because the device did not ask for them.
    private(set) var dropped = 0
    /// How many samples of silence each channel had in place of sound.
    private(set) var missing = 0
    private var framer: AudioFramer?
    /// For the device, those of the used channels taking turns.
    private var waiting: [Int16] = []
    /// How many samples of each channel the device asks for at once.
    private var request = 0

    /// What may wait besides what the device asks for at once, as a part of a second.
    private static let store = 10
    /// How much of it is left when something is dropped.
    private static let storeLeft = 25

    /// - Parameter format: `nil` when the device has one that cannot be used, or does not play.
    mutating func setFormat(_ format: AudioDeviceFormat?) {
        self.format = format
        framer = format.map {
            AudioFramer(
                sampleRate: $0.sampleRate, channels: $0.usedChannels, samplesPerFrame: max(1, $0.sampleRate / 100))
        }
        request = 0
        reset()
    }

    /// Forgets what waits.
    mutating func reset() {
        waiting.removeAll(keepingCapacity: true)
    }

    mutating func append(_ frame: AudioFrame) {
        guard let format, var framer else { return }
        self.framer = nil
        framer.append(frame)
        while framer.next({ samples, _ in waiting.append(contentsOf: samples) }) != nil {}
        self.framer = framer
        let count = waiting.count / format.usedChannels
        guard count > request + format.sampleRate / Self.store else { return }
        let surplus = count - request - format.sampleRate / Self.storeLeft
        waiting.removeFirst(surplus * format.usedChannels)
        dropped += surplus
    }

    /// Fills `samples` for the device.
    ///
    /// - Returns: Whether there was anything.
    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Bool {
        guard let format, samples.count.isMultiple(of: format.channels) else {
            samples.update(repeating: 0)
            return false
        }
        let (channels, used) = (format.channels, format.usedChannels)
        let wanted = samples.count / channels
        request = min(max(request, wanted), format.sampleRate)
        let count = min(wanted, waiting.count / used)
        if channels == used {
            for index in 0..<count * used { samples[index] = waiting[index] }
        } else {
            for index in 0..<count {
                for channel in 0..<channels {
                    samples[index * channels + channel] = channel < used ? waiting[index * used + channel] : 0
                }
            }
        }
        for index in count * channels..<samples.count { samples[index] = 0 }
        waiting.removeFirst(count * used)
        missing += wanted - count
        return count > 0
    }
}
