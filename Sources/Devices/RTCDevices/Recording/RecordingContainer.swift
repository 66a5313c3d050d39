/// The kinds of files that AVFoundation writes pictures in H.264 and sound in AAC into.
enum RecordingContainer: String, Sendable, CaseIterable {
    /// QuickTime, which alone can be played when it was not completed.
    case mov
    case mp4
    case m4v
    /// Sound alone.
    case m4a

    /// As the path ends.
    ///
    /// - Throws: ``DeviceError`` `unwritable` for an ending of another kind of file: players go by it.
    init(path: String, hasVideo: Bool) throws(DeviceError) {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last, let container = Self(rawValue: ending.lowercased()),
            container != .m4a || !hasVideo
        else {
            let endings = Self.allCases.filter { $0 != .m4a || !hasVideo }.map { ".\($0.rawValue)" }
            throw DeviceError(
                .unwritable, "\(path): the name of a recording ends in \(endings.joined(separator: ", ")) here")
        }
        self = container
    }
}
