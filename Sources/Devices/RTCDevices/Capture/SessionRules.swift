import RTCWire

/// What a camera of a capture session makes of what the framework says.
enum SessionRules {
    enum Reaction: Sendable, Hashable {
        /// The system's own services have begun anew, and the session stands still.
        case startAgain
        case fail(DeviceError)
    }

    /// Why nothing comes, for a person.
    static let interruption = "another app, a telephone call or the system has the camera"

    /// AVError's mediaServicesWereReset.
    private static let mediaServicesWereReset = -11_819

    static func reaction(toError code: Int, _ text: String?) -> Reaction {
        code == mediaServicesWereReset
            ? .startAgain : .fail(DeviceError(.failed, text ?? "the capture session has failed"))
    }

    /// The size that the system has a name for. A preset knows no rate above 30.
    static func preset(for wanted: CaptureFormat) -> CapturePreset? {
        guard wanted.frameRate <= 30.5 else { return nil }
        return CapturePreset.allCases.first { $0.width == wanted.format.width && $0.height == wanted.format.height }
    }

    /// When a picture was captured: a moment ago, whatever its timestamp says.
    ///
    /// - Parameters:
    ///   - seconds: Its timestamp, on the host's clock.
    ///   - longest: What it takes at most to be here.
    static func time(ofPictureAt seconds: Double, now: Instant, longest: TimeDelta = .seconds(1)) -> Instant {
        guard seconds.isFinite, seconds > 0, seconds < 1e9 else { return now }
        let captured = Instant(nanoseconds: Int64(seconds * 1_000_000_000))
        return captured <= now && captured > now - longest ? captured : now
    }
}
