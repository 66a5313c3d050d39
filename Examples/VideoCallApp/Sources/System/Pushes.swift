#if os(iOS) || os(visionOS)
    import WebRTCKit

    /// Creates the handler of pushes from `duet serve --apns-key`, which tells the server this device's token.
    @MainActor
    func makePushHandler(_ calls: SystemCalls, _ server: DuetSignaling) -> PushHandler {
        PushHandler(registry: SystemPushRegistry(), calls: calls, server: server)
    }
#endif
