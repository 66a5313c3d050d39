#if os(iOS) || os(visionOS)
    import WebRTCKit

    /// Calls ring while the app sleeps: `duet serve --apns-key` sends the pushes, and learns this device's token.
    @MainActor
    func makePushHandler(_ calls: SystemCalls, _ server: DuetSignaling) -> PushHandler {
        PushHandler(registry: SystemPushRegistry(), calls: calls, server: server)
    }
#endif
