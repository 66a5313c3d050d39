package import RTC
import RTCFrames
import RTCMediaFiles

/// `--audio`: the audio that a peer sends.
package enum AudioOption: Sendable, Equatable {
    case none
    case tone(frequency: Double)
    case file(String)

    /// `--audio tone`
    package static let tone = AudioOption.tone(frequency: 440)

    package static func parse(_ text: String) throws(Refusal) -> AudioOption {
        switch text {
        case "none": return .none
        case "tone": return .tone
        case "": throw Refusal("--audio takes “tone”, “none” or a file")
        case _ where text.hasPrefix("tone:"):
            guard let frequency = Double(text.dropFirst(5)), (50...20_000).contains(frequency) else {
                throw Refusal("“\(text)” is no tone: write tone:HERTZ, from 50 to 20000")
            }
            return .tone(frequency: frequency)
        default: return .file(text)
        }
    }

    /// Checks the file up to its first samples.
    package func check() throws(Refusal) -> AudioOption {
        guard case .file(let path) = self else { return self }
        try MediaFile.check(path, option: "--audio") {
            var reader = try WAVReader(FileSource(path: path), loops: true)
            guard try reader.nextFrame(samplesPerChannel: 1, at: MediaClock.now) != nil else {
                return "the WAV file has no sound"
            }
            guard (8_000...192_000).contains(reader.sampleRate) else {
                return "the WAV file has \(reader.sampleRate) samples a second; 8,000 to 192,000 can be sent"
            }
            try reader.rewind()
            return nil
        }
        return self
    }

    /// Creates the audio source; `nil` for none.
    ///
    /// - Parameter onFailure: Called if the file is damaged further on.
    package func makeSource(onFailure: @escaping @Sendable (String) -> Void) throws -> (any AudioSource)? {
        switch self {
        case .none: return nil
        case .tone(let frequency): return PacedAudioSource(Tone(frequency: frequency))
        case .file(let path):
            let reader = try WAVReader(FileSource(path: path), loops: true)
            return PacedAudioSource(reader) { error in
                if let error { onFailure("--audio \(path): \(error)") }
            }
        }
    }
}

/// Checks a file before anything else happens.
enum MediaFile {
    /// - Parameter problem: Returns the problem, or throws it.
    static func check(
        _ path: String, option: String, _ problem: () throws -> String?
    ) throws(Refusal) {
        let words: String?
        do { words = try problem() } catch { words = "\(error)" }
        if let words { throw Refusal("\(option) \(path): \(words)") }
    }
}
