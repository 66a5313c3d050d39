/// An event that an exchange reports, so that pushes can wake devices.
package enum RingEvent: Hashable, Sendable {
    /// A device, which the address names, has a push token from now on; `nil` if it has none any more. Its user is
    /// authenticated.
    case registered(SignalingAddress, PushToken?)
    /// The tokens that a server finds in the state which it shares with others. It may know newer ones.
    case known([KnownPushToken])
    case began(RingingCall)
    /// A device of the callee says that it rings.
    case rings(CallID, SignalingDeviceID)
    /// The call does not ring any more.
    case ended(CallID, RingEnd)
}

/// A device's push token in the state that servers share.
package struct KnownPushToken: Hashable, Sendable {
    package var user: UserID
    package var device: SignalingDeviceID
    package var token: PushToken
    /// The time since the device has registered it.
    package var age: Duration

    package init(user: UserID, device: SignalingDeviceID, token: PushToken, age: Duration) {
        self.user = user
        self.device = device
        self.token = token
        self.age = age
    }
}

/// A call that has begun to ring.
public struct RingingCall: Hashable, Sendable {
    public var id: CallID
    public var caller: SignalingPeer
    /// The called user or device.
    public var callee: SignalingAddress
    /// The devices of the callee that were told over a connection.
    public var connectedDevices: Set<SignalingDeviceID>
    /// How long it may ring from now on.
    public var timeLeft: Duration
    public var media: [InvitedMedia]?

    package init(
        id: CallID, caller: SignalingPeer, callee: SignalingAddress, connectedDevices: Set<SignalingDeviceID> = [],
        timeLeft: Duration, media: [InvitedMedia]? = nil
    ) {
        self.id = id
        self.caller = caller
        self.callee = callee
        self.connectedDevices = connectedDevices
        self.timeLeft = timeLeft
        self.media = media
    }
}

/// How a call stopped ringing.
public enum RingEnd: Hashable, Sendable {
    case answered(by: SignalingPeer)
    /// - Parameter reason: `declined`, `cancelled`, `noAnswer`, `busy`, `unavailable` and others, as in metrics.
    case ended(reason: String)
}
