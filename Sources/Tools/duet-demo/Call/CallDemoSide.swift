/// The state of one side of the demo's call.
struct CallDemoSide: Sendable {
    var name: String
    /// The summary at the end.
    var summary: CallDemoEvent?
    /// The times of the request to call and of the second frame, on the machine's monotonic clock in milliseconds.
    var calledAt: Double?
    var firstPictureAt: Double?
    var movingAt: Double?
    var isConnected = false
    var figures: CallDemoEvent.Stream?
    var exitStatus: Int32?

    /// - Returns: A line to print, if the event is worth one.
    mutating func take(_ event: CallDemoEvent) -> String? {
        switch event.event {
        case "calling": calledAt = event.at
        case "firstFrame": firstPictureAt = event.at
        case "movingPicture": movingAt = event.at
        case "figures": figures = event.receivedVideo
        case "summary": summary = event
        case "connectionState" where event.value == "connected": isConnected = true
        case "error", "note": return event.message
        default: break
        }
        return nil
    }

    /// The received video, such as `1280×720 at 25 pictures a second, 1830 kbit/s`.
    var sight: String {
        guard let figures, let width = figures.width, let height = figures.height else { return "nothing yet" }
        var text = "\(width)×\(height)"
        if let rate = figures.framesPerSecond { text += " at \(Int(rate.rounded())) a second" }
        if let bitrate = figures.bitrate { text += ", \(Int(bitrate / 1_000)) kbit/s" }
        return text
    }
}
