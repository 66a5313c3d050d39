import ArgumentParser
import Foundation
import RTCCodecs
import RTCFrames
import RTCMediaFiles
import RTCWire

/// How a film looks at a bitrate in each size and at each frame rate: PSNR and SSIM of what is on the screen at each moment.
///
/// In media time: one run is one sender of a call with our encoder, its rate control and the pacer's queue. See docs/media.md for
/// what was concluded from it.
struct LadderBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ladder",
        abstract:
            "Encodes films at bitrates in several sizes and frame rates, and compares what would be shown with the source."
    )

    @Argument(help: "Films, as Y4M files. Each is played forwards and backwards until the time is over.")
    var films: [String]
    @Option(help: "VP8, VP9 or H264.")
    var codec = "VP8"
    @Option(help: "Bitrates as bits for each pixel of the film, with commas between them.")
    var bitsPerPixel = "0.004,0.008,0.015,0.025,0.04,0.07"
    @Option(help: "Bitrates in kbit/s, in place of those.")
    var kilobits: String?
    @Option(help: "By what width and height are divided.")
    var scales = "1,1.5,2,3,4"
    @Option(help: "By what the frame rate is divided.")
    var rates = "1,1.5,2,3"
    @Option(help: "How long each run is, in seconds of the film, after two that do not count.")
    var seconds = 6.0

    func validate() throws {
        guard seconds > 0, seconds <= 600 else { throw ValidationError("--seconds is more than 0, and 600 at most") }
        for text in [bitsPerPixel, scales, rates] + (kilobits.map { [$0] } ?? []) { _ = try Self.numbers(text) }
        guard try (Self.numbers(scales) + Self.numbers(rates)).allSatisfy({ $0 >= 1 && $0 <= 64 }) else {
            throw ValidationError("sizes and frame rates are divided by 1 to 64")
        }
    }

    func run() throws {
        guard let codec = CodecCatalog.system.codecs(of: .video).first(where: { $0.name == codec }) else {
            throw ValidationError("this machine cannot encode \(codec)")
        }
        for path in films {
            let film = try Film(path: path, limit: seconds + LadderCall.warmUp.seconds)
            let pixels = Double(film.width * film.height) * film.framesPerSecond
            let targets =
                try kilobits.map { try Self.numbers($0).map { $0 * 1_000 } }
                ?? Self.numbers(bitsPerPixel).map { $0 * pixels }
            for target in targets where target >= 12_000 {
                for scale in try Self.numbers(scales) {
                    for divisor in try Self.numbers(rates) {
                        var call = try LadderCall(
                            film: film, codec: codec, target: Bitrate(bitsPerSecond: Int64(target)), scale: scale,
                            rateDivisor: divisor)
                        try call.run(seconds: seconds)
                        print(Self.line(call, film: film, target: target / pixels))
                    }
                }
            }
        }
    }

    private static func line(_ call: LadderCall, film: Film, target: Double) -> String {
        """
        {"benchmark":"ladder","film":"\(film.name)","codec":"\(call.codec.name)","width":\(film.width),\
        "height":\(film.height),"filmFramesPerSecond":\(rounded(film.framesPerSecond)),\
        "targetKbps":\(rounded(Double(call.target.bitsPerSecond) / 1_000)),"bitsPerPixel":\((target * 1e5).rounded() / 1e5),\
        "scale":\(call.scale),"rateDivisor":\(call.rateDivisor),"kbps":\(rounded(call.kilobitsPerSecond)),\
        "shownPerSecond":\(rounded(call.shownPerSecond)),"queueP95Ms":\(rounded(call.queues.percentile(95))),"psnr":\(rounded(call.quality.psnr ?? 0)),\
        "ssim":\(((call.quality.ssim ?? 0) * 1e5).rounded() / 1e5)}
        """
    }

    private static func numbers(_ text: String) throws -> [Double] {
        let numbers = text.split(separator: ",").map { Double($0) }
        guard !numbers.isEmpty, numbers.allSatisfy({ ($0 ?? 0) > 0 && ($0 ?? 0) < 1e9 }) else {
            throw ValidationError("“\(text)” is no list of numbers with commas between them")
        }
        return numbers.compactMap { $0 }
    }
}

/// A film in memory.
struct Film {
    let name: String
    let width: Int
    let height: Int
    let framesPerSecond: Double
    private let frames: [I420Buffer]

    /// - Parameter limit: How much of it to read, in seconds.
    init(path: String, limit: Double) throws {
        var reader = try Y4MReader(FileSource(path: path))
        var frames: [I420Buffer] = []
        let pool = I420BufferPool()
        while Double(frames.count) < limit * reader.framesPerSecond, let frame = try reader.nextFrame(at: .zero) {
            if let buffer = frame.buffer.i420(from: pool) { frames.append(buffer) }
        }
        guard frames.count >= 2 else { throw ValidationError("\(path) has fewer than two frames") }
        name = URL(filePath: path).deletingPathExtension().lastPathComponent
        width = reader.width
        height = reader.height
        framesPerSecond = reader.framesPerSecond
        self.frames = frames
    }

    /// The frame of a moment, forwards and backwards, so that it repeats without a cut.
    subscript(_ moment: Int) -> I420Buffer {
        let place = moment % (2 * frames.count - 2)
        return frames[place < frames.count ? place : 2 * frames.count - 2 - place]
    }
}
