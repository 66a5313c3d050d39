#if !os(Linux)
    import DuetShell
    import RTCWebView

    /// A program in a terminal has no windows on these systems: an app shows `WebPageView`.
    enum WebRun {
        @MainActor static func show(
            _ url: String, configuration: WebViewConfiguration, rules: CapturePermissions.Rules, isEphemeral: Bool,
            forgotten: [WebOrigin], onEvent: @escaping @Sendable (String) -> Void
        ) async throws {
            throw Refusal.exit("a program in a terminal has no window on this system")
        }
    }
#endif
