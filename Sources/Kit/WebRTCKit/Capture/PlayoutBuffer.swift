internal import RTCFrames
internal import RTCMedia

/// Buffers received audio until an audio device reads it, at any rate and in buffers of any length.
///
/// The clocks of the network and the loudspeaker differ. Each second the minimum fill level is checked: if it is too high, a
/// pitch period is removed, if it is too low, one is inserted (``AudioTimeStretch``), which keeps the pitch and is inaudible.
/// Audio that the device does not read is dropped, oldest first; missing audio is replaced by silence, which makes the buffer
/// longer by the same amount. Seams are faded.
struct PlayoutBuffer: Sendable {
    private(set) var format: AudioDeviceFormat?
    /// The samples per channel that were dropped because the device did not read them.
    private(set) var dropped = 0
    /// The samples of silence per channel that replaced missing audio.
    private(set) var missing = 0
    /// The samples per channel that were removed or inserted because the clocks differ.
    private(set) var stretched = 0
    private var framer: AudioFramer?
    /// Samples for the device, interleaved, of the used channels.
    private var waiting: [Int16] = []
    /// The samples that the device read last, of the used channels: 15 ms.
    private var played: [Int16] = []
    /// The samples that would have followed if none had been dropped since the last read.
    private var abandoned: [Int16] = []
    /// Whether the last read ended in silence because audio was missing.
    private var hasUnderrun = false
    private var clocks = ClockDriftDetector()
    /// The largest number of samples per channel that the device reads at once.
    private var request = 0

    /// The maximum level beyond one read, as a fraction of a second: 1/10.
    private static let store = 10
    /// The level beyond one read after dropping, as a fraction of a second: 1/25.
    private static let remainingFraction = 25
    /// The length of fades, as a fraction of a second: 1/200.
    private static let seam = 200
    /// The amplitude from which a sample is faded and not started or stopped abruptly.
    private static let audible = 64

    /// - Parameter format: `nil` if the device's format is not supported, or it does not play.
    mutating func setFormat(_ format: AudioDeviceFormat?) {
        self.format = format
        framer = format.map {
            AudioFramer(
                sampleRate: $0.sampleRate, channels: $0.usedChannels, samplesPerFrame: max(1, $0.sampleRate / 100))
        }
        request = 0
        reset()
    }

    /// Discards waiting samples.
    mutating func reset() {
        waiting.removeAll(keepingCapacity: true)
        played.removeAll(keepingCapacity: true)
        abandoned.removeAll(keepingCapacity: true)
        hasUnderrun = false
        clocks = ClockDriftDetector()
    }

    mutating func append(_ frame: AudioFrame) {
        guard let format, var framer else { return }
        self.framer = nil
        framer.append(frame)
        while framer.next({ samples, _ in waiting.append(contentsOf: samples) }) != nil {}
        self.framer = framer
        let count = waiting.count / format.usedChannels
        guard count > request + format.sampleRate / Self.store else { return }
        let surplus = count - request - format.sampleRate / Self.remainingFraction
        if abandoned.isEmpty, !played.isEmpty, !hasUnderrun {
            abandoned.append(contentsOf: waiting.prefix(format.sampleRate / Self.seam * format.usedChannels))
        }
        waiting.removeFirst(surplus * format.usedChannels)
        dropped += surplus
        clocks = ClockDriftDetector()
    }

    /// Fills `samples` for the device.
    ///
    /// - Returns: Whether there were any samples.
    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Bool {
        guard let format, samples.count.isMultiple(of: format.channels) else {
            samples.update(repeating: 0)
            return false
        }
        let (channels, used) = (format.channels, format.usedChannels)
        let wanted = samples.count / channels
        request = min(max(request, wanted), format.sampleRate)
        followClocks(format, wanted: wanted)
        fadeBeginning(format)
        let count = min(wanted, waiting.count / used)
        for index in 0..<count { Self.put(waiting, index, into: samples, at: index, channels, used) }
        remember(count * used, format)
        waiting.removeFirst(count * used)
        missing += wanted - count
        if count < wanted { fadeEnd(of: samples, from: count, format) }
        return count > 0
    }

    /// The number of waiting samples per channel.
    var waitingSamples: Int { format.map { waiting.count / $0.usedChannels } ?? 0 }

    // MARK: Clocks

    private mutating func followClocks(_ format: AudioDeviceFormat, wanted: Int) {
        let (used, rate) = (format.usedChannels, format.sampleRate)
        let change = clocks.note(slack: waiting.count / used - wanted, of: wanted, sampleRate: rate)
        guard let change else { return }
        let made =
            switch change {
            case .shorten(let isUrgent):
                -AudioTimeStretch.shorten(&waiting, channels: used, sampleRate: rate, isUrgent: isUrgent)
            case .lengthen(let isUrgent):
                AudioTimeStretch.lengthen(
                    &waiting, after: played, channels: used, sampleRate: rate, isUrgent: isUrgent)
            }
        stretched += abs(made)
        clocks.didChange(by: made, sampleRate: rate)
    }

    private mutating func remember(_ count: Int, _ format: AudioDeviceFormat) {
        let most = AudioTimeStretch.neededSamples(sampleRate: format.sampleRate) / 2 * format.usedChannels
        played.append(contentsOf: waiting[max(0, count - most)..<count])
        if played.count > most { played.removeFirst(played.count - most) }
    }

    // MARK: Seams

    /// Cross-fades from the dropped samples to the next ones, and fades in after silence.
    private mutating func fadeBeginning(_ format: AudioDeviceFormat) {
        guard hasUnderrun || !abandoned.isEmpty, !waiting.isEmpty else { return }
        let (used, length) = (format.usedChannels, format.sampleRate / Self.seam)
        let count = min(length * used, waiting.count)
        if hasUnderrun, waiting[..<count].contains(where: { $0.magnitude >= Self.audible }) {
            for index in 0..<count { waiting[index] = AudioTimeStretch.blend(0, waiting[index], index / used, length) }
        } else if !hasUnderrun {
            for index in 0..<min(count, abandoned.count) {
                waiting[index] = AudioTimeStretch.blend(abandoned[index], waiting[index], index / used, length)
            }
        }
        hasUnderrun = false
        abandoned.removeAll(keepingCapacity: true)
    }

    /// Fills the rest with silence, after a fade-out of the last samples played backwards.
    private mutating func fadeEnd(
        of samples: UnsafeMutableBufferPointer<Int16>, from first: Int, _ format: AudioDeviceFormat
    ) {
        let (channels, used) = (format.channels, format.usedChannels)
        for index in first * channels..<samples.count { samples[index] = 0 }
        defer { hasUnderrun = true }
        let length = min(format.sampleRate / Self.seam, samples.count / channels - first, played.count / used)
        guard !hasUnderrun, length > 0, played.suffix(used).contains(where: { $0.magnitude >= Self.audible }) else {
            return
        }
        let last = played.count / used - 1
        for index in 0..<length {
            Self.put(played, last - index, into: samples, at: first + index, channels, used)
            for channel in 0..<used {
                let place = (first + index) * channels + channel
                samples[place] = AudioTimeStretch.blend(samples[place], 0, index + 1, length)
            }
        }
    }

    /// Copies one sample of each used channel; the other channels are silent.
    private static func put(
        _ source: [Int16], _ index: Int, into samples: UnsafeMutableBufferPointer<Int16>, at place: Int,
        _ channels: Int,
        _ used: Int
    ) {
        for channel in 0..<channels {
            samples[place * channels + channel] = channel < used ? source[index * used + channel] : 0
        }
    }
}
