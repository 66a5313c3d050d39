/// What a page may want to capture.
public enum CaptureKind: String, Sendable, Hashable, Codable, CaseIterable {
    case microphone
    case camera
    /// The screen or a window of it. It is asked about each time, whoever wants it.
    case display
}

/// Whether a page captures by a device: W3C Media Capture and Streams, section 4.3.2, seen from the app.
public enum CaptureState: Sendable, Hashable {
    /// No page of the view has opened the device.
    case none
    /// It is open and delivers.
    case active
    /// It is open, and delivers silence or a black picture, because the app muted it.
    case muted
}
