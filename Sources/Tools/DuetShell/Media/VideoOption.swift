package import RTC
import RTCFrames
import RTCMediaFiles

/// `--video`: the video that a peer sends.
package enum VideoOption: Sendable, Equatable {
    case none
    case test(width: Int, height: Int, framesPerSecond: Double)
    case file(String)

    /// `--video test`
    package static let test = VideoOption.test(width: 640, height: 360, framesPerSecond: 30)

    package static func parse(_ text: String) throws(Refusal) -> VideoOption {
        switch text {
        case "none": return .none
        case "test": return .test
        case "": throw Refusal("--video takes “test”, “none” or a file")
        case _ where text.hasPrefix("test:"):
            let parts = text.dropFirst(5).split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            let size = (parts.first ?? "").split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            let rate = parts.count > 1 ? Double(parts[1]) : 30
            guard size.count == 2, let width = size[0], let height = size[1], let rate, (64...4_096).contains(width),
                (48...2_304).contains(height), (1...120).contains(rate)
            else {
                throw Refusal(
                    "“\(text)” is no test picture: write test:WIDTHxHEIGHT@RATE, from 64x48@1 to 4096x2304@120")
            }
            return .test(width: width, height: height, framesPerSecond: rate)
        default: return .file(text)
        }
    }

    /// Checks the file up to its first frame.
    package func check() throws(Refusal) -> VideoOption {
        guard case .file(let path) = self else { return self }
        try MediaFile.check(path, option: "--video") {
            var reader = try Y4MReader(FileSource(path: path))
            guard try reader.nextFrame(at: MediaClock.now) != nil else { return "the Y4M file has no picture" }
            try reader.rewind()
            return nil
        }
        return self
    }

    /// Creates the video source; `nil` for none.
    ///
    /// - Parameter onFailure: Called if the file is damaged further on.
    package func makeSource(onFailure: @escaping @Sendable (String) -> Void) throws -> (any VideoSource)? {
        switch self {
        case .none: return nil
        case .test(let width, let height, let framesPerSecond):
            return PacedVideoSource(TestPattern(width: width, height: height), framesPerSecond: framesPerSecond)
        case .file(let path):
            let reader = try Y4MReader(FileSource(path: path), loops: true)
            return PacedVideoSource(reader, framesPerSecond: reader.framesPerSecond) { error in
                if let error { onFailure("--video \(path): \(error)") }
            }
        }
    }
}
