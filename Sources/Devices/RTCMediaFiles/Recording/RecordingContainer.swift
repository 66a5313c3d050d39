import RTCDevices

/// The file types into which AVFoundation writes H.264 video and AAC audio.
enum RecordingContainer: String, Sendable, CaseIterable {
    /// QuickTime, the only type that can be played without being completed.
    case mov
    case mp4
    case m4v
    /// Audio only.
    case m4a

    /// Chooses the type by the path's extension.
    ///
    /// - Throws: ``DeviceError`` `unwritable` for the extension of another type: players rely on it.
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
