/// A service that wakes the devices of users without a connection (docs/push.md).
///
/// `RTCSignalingPush` has a sender for a webhook and one for Apple's push service.
public struct PushService: Sendable {
    /// Sends events to the app's own server.
    public var webhook: (any PushSender)?
    /// Sends pushes to devices.
    public var devices: (any PushSender)?
    package var limits = PushLimits()
    /// The tokens of an earlier run of the server, which takes them over when it starts.
    public var storedTokens: [StoredPushToken] = []
    /// Called on the server's event loop with all tokens, some seconds after a change, and when the server stops. It must not
    /// block.
    public var storeTokens: (@Sendable ([StoredPushToken]) -> Void)?

    public init(webhook: (any PushSender)? = nil, devices: (any PushSender)? = nil) {
        self.webhook = webhook
        self.devices = devices
    }
}

/// Sends requests of one kind.
public protocol PushSender: Sendable {
    /// Makes one attempt, within a time limit of its own. It is called for many requests at the same time.
    func send(_ request: PushRequest) async -> PushOutcome

    /// Ends connections that are open. No request follows.
    func close() async
}

extension PushSender {
    public func close() async {}
}
