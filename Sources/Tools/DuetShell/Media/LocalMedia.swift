package import RTC
import RTCMediaFiles

/// The media to send.
package struct LocalMedia: Sendable {
    package var video: (any VideoSource)?
    package var audio: (any AudioSource)?
    /// A human-readable description.
    var description: String
    /// Whether video, and audio, is sent at all: from here, or from the machine's devices.
    var hasCamera = false
    var hasMicrophone = false

    /// Opens the files; nothing plays before somebody wants it.
    ///
    /// - Parameters:
    ///   - size: What pictures have to fit into.
    ///   - probe: Watches the media on their way out.
    ///   - onFailure: Called when a file turns out to be damaged further on.
    /// - Throws: ``Refusal``, one line about the file.
    package static func open(
        video: VideoOption, size: PictureSize? = nil, audio: AudioOption?, probe: (any CallProbe)?,
        onFailure: @escaping @Sendable (String) -> Void
    ) throws(Refusal) -> LocalMedia {
        var film: CallFilm?
        if let path = video.path, !MediaFileKind.isPlain(path) {
            film = try CallDevices.openFilm(path, option: "--video", onFailure)
            if film?.video == nil { throw Refusal("--video \(path): the file has no pictures") }
        }
        var pictures = film?.video
        if film == nil { pictures = try plainVideo(video, onFailure) }
        var sound: (any AudioSource)?
        switch audio {
        case nil where film == nil: sound = try openAudio(.tone, onFailure)
        case nil: sound = film?.audio
        case .file(let path)? where path == video.path && film != nil:
            // One player for both, so that they stay synchronized.
            guard let own = film?.audio else { throw Refusal("--audio \(path): the file has no sound") }
            sound = own
        case let audio?: sound = try openAudio(audio, onFailure)
        }
        let words = audio ?? (film == nil ? .tone : sound == nil ? AudioOption.none : nil)
        if let size, let source = pictures { pictures = ScalingSource(source, limit: size) }
        if let probe, let source = pictures { pictures = probe.watching(source) }
        if let probe, let source = sound { sound = probe.listening(source) }
        return LocalMedia(
            video: pictures, audio: sound, description: "\(video.summary), \(words?.summary ?? "with its sound")")
    }

    private static func plainVideo(
        _ option: VideoOption, _ onFailure: @escaping @Sendable (String) -> Void
    ) throws(Refusal) -> (any VideoSource)? {
        do {
            return try option.check().makeSource(onFailure: onFailure)
        } catch {
            throw Refusal("\(error)")
        }
    }

    private static func openAudio(
        _ option: AudioOption, _ onFailure: @escaping @Sendable (String) -> Void
    ) throws(Refusal) -> (any AudioSource)? {
        guard let path = option.path, !MediaFileKind.isPlain(path) else {
            do {
                return try option.check().makeSource(onFailure: onFailure)
            } catch {
                throw Refusal("\(error)")
            }
        }
        let film = try CallDevices.openFilm(path, option: "--audio", onFailure)
        guard let sound = film.audio else { throw Refusal("--audio \(path): the file has no sound") }
        return sound
    }
}

/// A media file that is played as camera and microphone.
struct CallFilm {
    var video: (any VideoSource)?
    var audio: (any AudioSource)?
}

/// The files that are read without a media library.
enum MediaFileKind {
    /// Whether the file begins like a Y4M or WAV file. An unreadable one counts as such, and is refused as such.
    static func isPlain(_ path: String) -> Bool {
        guard let file = try? FileSource(path: path) else { return true }
        var bytes = [UInt8](repeating: 0, count: 12)
        var count = 0
        while count < bytes.count {
            guard
                let read = try? bytes.withUnsafeMutableBytes({
                    try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
                })
            else { return true }
            guard read > 0 else { break }
            count += read
        }
        let beginning = bytes[..<count]
        return beginning.starts(with: "YUV4MPEG2".utf8)
            || beginning.starts(with: "RIFF".utf8) && beginning.dropFirst(8).starts(with: "WAVE".utf8)
    }
}

extension VideoOption {
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    fileprivate var summary: String {
        switch self {
        case .none: "no picture"
        case .test: "a test picture"
        case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
        }
    }
}

extension AudioOption {
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    fileprivate var summary: String {
        switch self {
        case .none: "no sound"
        case .tone: "a tone"
        case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
        }
    }
}
