internal import RTCFrames
internal import RTCMedia

/// Keeps what is received until an audio device asks for it, at whatever rate and in pieces of whatever length.
///
/// The clocks of a network and of a loudspeaker are not the same. What waits when it waits least is looked at each second:
/// where it has become too much, a period of the sound is taken out, and where it is too little, one is put in
/// (``AudioTimeStretch``), so that pitch stays and nothing is heard. What a device does not ask for is dropped, the oldest
/// first; what is missing is silence, which makes the store larger by so much. The seams are faded.
struct PlayoutBuffer: Sendable {
    private(set) var format: AudioDeviceFormat?
    /// How many samples of each channel were dropped, because the device did not ask for them.
    private(set) var dropped = 0
    /// How many samples of silence each channel had in place of sound.
    private(set) var missing = 0
    /// How many samples of each channel were taken out or put in, because the clocks differ.
    private(set) var stretched = 0
    private var framer: AudioFramer?
    /// For the device, those of the used channels taking turns.
    private var waiting: [Int16] = []
    /// What the device got last, of the used channels: 15 ms.
    private var played: [Int16] = []
    /// What would have come next, had nothing been dropped since the device asked last.
    private var abandoned: [Int16] = []
    /// Whether silence was all that there was at the end of what the device got last.
    private var isDry = false
    private var clocks = ClockWatch()
    /// How many samples of each channel the device asks for at once.
    private var request = 0

    /// What may wait besides what the device asks for at once, as a part of a second.
    private static let store = 10
    /// How much of it is left when something is dropped.
    private static let storeLeft = 25
    /// How long seams are faded, as a part of a second.
    private static let seam = 200
    /// No sample of a louder piece is left to begin or end at once.
    private static let audible = 64

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
        played.removeAll(keepingCapacity: true)
        abandoned.removeAll(keepingCapacity: true)
        isDry = false
        clocks = ClockWatch()
    }

    /// How many samples of each channel wait.
    var waitingSamples: Int { format.map { waiting.count / $0.usedChannels } ?? 0 }

    mutating func append(_ frame: AudioFrame) {
        guard let format, var framer else { return }
        self.framer = nil
        framer.append(frame)
        while framer.next({ samples, _ in waiting.append(contentsOf: samples) }) != nil {}
        self.framer = framer
        let count = waiting.count / format.usedChannels
        guard count > request + format.sampleRate / Self.store else { return }
        let surplus = count - request - format.sampleRate / Self.storeLeft
        if abandoned.isEmpty, !played.isEmpty, !isDry {
            abandoned.append(contentsOf: waiting.prefix(format.sampleRate / Self.seam * format.usedChannels))
        }
        waiting.removeFirst(surplus * format.usedChannels)
        dropped += surplus
        clocks = ClockWatch()
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

    /// Fades from what would have come into what comes, and in after silence.
    private mutating func fadeBeginning(_ format: AudioDeviceFormat) {
        guard isDry || !abandoned.isEmpty, !waiting.isEmpty else { return }
        let (used, length) = (format.usedChannels, format.sampleRate / Self.seam)
        let count = min(length * used, waiting.count)
        if isDry, waiting[..<count].contains(where: { $0.magnitude >= Self.audible }) {
            for index in 0..<count { waiting[index] = AudioTimeStretch.blend(0, waiting[index], index / used, length) }
        } else if !isDry {
            for index in 0..<min(count, abandoned.count) {
                waiting[index] = AudioTimeStretch.blend(abandoned[index], waiting[index], index / used, length)
            }
        }
        isDry = false
        abandoned.removeAll(keepingCapacity: true)
    }

    /// Fills what is missing with silence, into which what was played last fades, played backwards.
    private mutating func fadeEnd(
        of samples: UnsafeMutableBufferPointer<Int16>, from first: Int, _ format: AudioDeviceFormat
    ) {
        let (channels, used) = (format.channels, format.usedChannels)
        for index in first * channels..<samples.count { samples[index] = 0 }
        defer { isDry = true }
        let length = min(format.sampleRate / Self.seam, samples.count / channels - first, played.count / used)
        guard !isDry, length > 0, played.suffix(used).contains(where: { $0.magnitude >= Self.audible }) else { return }
        let last = played.count / used - 1
        for index in 0..<length {
            Self.put(played, last - index, into: samples, at: first + index, channels, used)
            for channel in 0..<used {
                let place = (first + index) * channels + channel
                samples[place] = AudioTimeStretch.blend(samples[place], 0, index + 1, length)
            }
        }
    }

    /// Copies one sample of each channel that is used; the others are silent.
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
