import RTCWire

/// The reactions of a capture session's camera to the framework's notifications.
enum SessionRules {
    enum Reaction: Sendable, Hashable {
        /// The system's media services were reset, and the session has stopped.
        case startAgain
        case fail(DeviceError)
    }

    /// Tells a person why no frames come.
    static let interruption = "another app, a telephone call or the system has the camera"

    /// AVError's mediaServicesWereReset.
    private static let mediaServicesWereReset = -11_819

    static func reaction(toError code: Int, _ text: String?) -> Reaction {
        code == mediaServicesWereReset
            ? .startAgain : .fail(DeviceError(.failed, text ?? "the capture session has failed"))
    }

    /// The system's preset for the size. Presets support no frame rate above 30.
    static func preset(for wanted: CaptureFormat) -> CapturePreset? {
        guard wanted.frameRate <= 30.5 else { return nil }
        return CapturePreset.allCases.first { $0.width == wanted.format.width && $0.height == wanted.format.height }
    }

    /// The capture time of a frame; `now` if the timestamp is in the future or too old.
    ///
    /// - Parameters:
    ///   - seconds: The frame's timestamp, on the host's clock.
    ///   - longest: The longest time from capture to here.
    static func time(ofPictureAt seconds: Double, now: Instant, longest: TimeDelta = .seconds(1)) -> Instant {
        guard seconds.isFinite, seconds > 0, seconds < 1e9 else { return now }
        let captured = Instant(nanoseconds: Int64(seconds * 1_000_000_000))
        return captured <= now && captured > now - longest ? captured : now
    }
}
