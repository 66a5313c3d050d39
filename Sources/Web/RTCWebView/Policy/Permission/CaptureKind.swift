/// A kind of capture that a page can request.
public enum CaptureKind: String, Sendable, Hashable, Codable, CaseIterable {
    case microphone
    case camera
    /// The screen or a window. The person is asked each time, whatever the origin.
    case display
}

/// The capture state of a device: W3C Media Capture and Streams, section 4.3.2.
public enum CaptureState: Sendable, Hashable {
    /// No page of the view captures with the device.
    case none
    /// The device is captured.
    case active
    /// The device is captured, and muted by the app: pages receive silence or black frames.
    case muted
}
