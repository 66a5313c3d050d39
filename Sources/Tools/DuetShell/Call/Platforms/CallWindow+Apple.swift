#if !os(Linux)
    /// The window of a call: only on Linux.
    enum CallWindow {
        @MainActor
        static func open(
            local: LocalMedia, onAction: @escaping @Sendable (CallAction) -> Void
        ) throws(Refusal) -> CallScreen {
            throw Refusal("--window: there are no windows on this platform yet")
        }
    }
#endif
