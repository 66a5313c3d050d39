import Foundation
import RTCFrames
import RTCMediaFiles
import RTCWire

/// The quality of received audio and video, from the files of two ``QualityProbe``s.
struct RecordedQuality: Sendable {
    var picture = PictureQuality()
    /// The size of the compared frames, in pixels.
    var size: (width: Int, height: Int)?
    /// STOI, 0 to 1.
    var speech: Double?
    /// The duration of the compared audio, in seconds.
    var speechSeconds: Double?

    /// - Parameters:
    ///   - sent: The sender's folder.
    ///   - received: The receiver's folder.
    static func compare(sent: String, received: String) -> RecordedQuality {
        var quality = RecordedQuality()
        quality.comparePictures(MarkedPictures(sent, "sent"), MarkedPictures(received, "received"))
        quality.compareSound("\(sent)/sent", "\(received)/received")
        return quality
    }

    // MARK: Video

    private mutating func comparePictures(_ sent: MarkedPictures, _ received: MarkedPictures) {
        var (originals, copies) = (sent, received)
        let pool = I420BufferPool(capacity: 4)
        var original = originals.next()
        var copy = copies.next()
        // Both files are in the order of the numbers, and each may lack some.
        while let sent = original, let received = copy {
            if sent.number == received.number { compare(sent.picture, received.picture, pool) }
            if sent.number <= received.number { original = originals.next() }
            if received.number <= sent.number { copy = copies.next() }
        }
    }

    private mutating func compare(_ sent: I420Buffer, _ received: I420Buffer, _ pool: I420BufferPool) {
        size = size ?? (received.width, received.height)
        let whole =
            received.width == sent.width && received.height == sent.height
            ? received : received.scaled(width: sent.width, height: sent.height, pool: pool)
        sent.withPlanes { sent in
            whole.withPlanes { whole in
                // The marks, and the rows that their edges affect, are skipped.
                picture.add(sent.y, whole.y, skipping: FrameMark.rows(ofHeight: sent.height) + 8)
            }
        }
    }

    // MARK: Audio

    private mutating func compareSound(_ sent: String, _ received: String) {
        guard let original = Self.samples("\(sent).wav"), let copy = Self.samples("\(received).wav"),
            let aligned = SoundAlignment.align(original, copy, in: Self.distances(sent, received))
        else { return }
        speech = SpeechIntelligibility.stoi(aligned.sent, aligned.received)
        speechSeconds = Double(aligned.sent.count) / Double(SpeechIntelligibility.sampleRate)
    }

    /// The range of delays in samples by which the received audio may be later in its file: it is played after it was sent,
    /// within ``longestDelay``, and a busy machine may have dropped some.
    private static func distances(_ sent: String, _ received: String) -> ClosedRange<Int>? {
        guard let first = SoundBeginning.read("\(sent).beginning"),
            let second = SoundBeginning.read("\(received).beginning")
        else { return nil }
        let rate = Double(SpeechIntelligibility.sampleRate)
        let beginning = Double(first &- second) / 1e9
        guard abs(beginning) < 600 else { return nil }
        return Int((beginning - mostLeftOut) * rate)...Int((beginning + longestDelay) * rate)
    }

    /// In seconds. Together they are less than the period after which the speech is repeated.
    private static let longestDelay = 1.5
    private static let mostLeftOut = 0.5

    /// The samples of a file: one channel at the rate of ``SpeechIntelligibility``, −1 to 1.
    private static func samples(_ path: String) -> [Double]? {
        let rate = SpeechIntelligibility.sampleRate
        guard var reader = try? WAVReader(FileSource(path: path)) else { return nil }
        var framer = AudioFramer(sampleRate: rate, channels: 1, samplesPerFrame: rate / 100)
        var samples: [Double] = []
        while samples.count < rate * 600,
            let frame = try? reader.nextFrame(samplesPerChannel: reader.sampleRate / 100, at: .zero)
        {
            framer.append(frame)
            while let converted = framer.nextFrame() { samples += converted.samples.map { Double($0) / 32_768 } }
        }
        return samples
    }
}

/// The frames that a ``PictureSampler`` has written, in the order of their numbers.
private struct MarkedPictures {
    typealias Marked = (number: UInt32, picture: I420Buffer)

    private var readers: [(reader: Y4MReader, head: Marked?)] = []

    init(_ folder: String, _ prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix("\(prefix)-") && name.hasSuffix(".y4m") {
            guard var reader = try? Y4MReader(FileSource(path: "\(folder)/\(name)")) else { continue }
            let head = Self.next(&reader)
            readers.append((reader, head))
        }
    }

    mutating func next() -> Marked? {
        func number(_ index: Int) -> UInt32 { readers[index].head?.number ?? .max }
        guard let first = readers.indices.min(by: { number($0) < number($1) }) else { return nil }
        defer { readers[first].head = Self.next(&readers[first].reader) }
        return readers[first].head
    }

    private static func next(_ reader: inout Y4MReader) -> Marked? {
        while let frame = try? reader.nextFrame(at: .zero) {
            guard let buffer = frame.buffer as? I420Buffer, let number = buffer.withPlanes({ FrameMark.read($0) })
            else { continue }
            return (number, buffer)
        }
        return nil
    }
}
