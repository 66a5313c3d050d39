/// A device's push token, as it is stored, so that the device can be woken after a restart of the server.
public struct StoredPushToken: Hashable, Sendable, Codable {
    public var user: UserID
    public var device: SignalingDeviceID
    public var token: PushToken
    /// When the device has registered it last, in seconds since 1970.
    public var registeredAt: Int64

    public init(user: UserID, device: SignalingDeviceID, token: PushToken, registeredAt: Int64) {
        self.user = user
        self.device = device
        self.token = token
        self.registeredAt = registeredAt
    }
}

extension PushRegistry {
    /// Registers stored tokens, those that are not too old.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    mutating func restore(_ tokens: [StoredPushToken], at now: Duration, time: Int64) {
        // The oldest first: of a token that is there twice, the last owner counts.
        for stored in tokens.sorted(by: { $0.registeredAt < $1.registeredAt }) {
            let (age, overflow) = time.subtractingReportingOverflow(stored.registeredAt)
            guard !overflow, age < limits.tokenLifetime.components.seconds else { continue }
            let owner = SignalingAddress(user: stored.user, device: stored.device)
            _ = register(stored.token, for: owner, at: now - .seconds(max(0, age)))
        }
    }

    /// All tokens, in no order: there may be hundreds of thousands.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    func stored(at now: Duration, time: Int64) -> [StoredPushToken] {
        var tokens: [StoredPushToken] = []
        tokens.reserveCapacity(count)
        for (user, device, token, registeredAt) in entries {
            let age = (now - registeredAt).components.seconds
            tokens.append(StoredPushToken(user: user, device: device, token: token, registeredAt: time - age))
        }
        return tokens
    }
}
