/// The push tokens of devices, each of one device of one authenticated user.
struct PushRegistry {
    private struct Entry {
        var token: PushToken
        var registeredAt: Duration
    }

    let limits: PushLimits
    private var users: [UserID: [SignalingDeviceID: Entry]] = [:]
    private var owners: [PushToken: SignalingAddress] = [:]
    /// The number of changes that are worth storing.
    private(set) var changes: UInt64 = 0

    /// When it is next looked for expired tokens because there is no room.
    private var nextSearch: Duration?

    /// A search through all tokens takes time, which nobody may cause as often as one likes.
    private static let searchInterval: Duration = .seconds(60)

    /// The age from which another registration of the same token is worth storing.
    private static let noteworthyAge: Duration = .seconds(86_400)

    init(_ limits: PushLimits) {
        self.limits = limits
    }

    /// The number of tokens.
    var count: Int { owners.count }

    var entries: [(user: UserID, device: SignalingDeviceID, token: PushToken, registeredAt: Duration)] {
        users.flatMap { user, devices in devices.map { (user, $0.key, $0.value.token, $0.value.registeredAt) } }
    }

    /// Sets the token of a device, which has one at most.
    ///
    /// A token that was another device's is this one's from now on: another user has signed in on the phone, and must not
    /// see the calls of the one before.
    ///
    /// - Returns: Whether there was room for it.
    mutating func register(_ token: PushToken, for owner: SignalingAddress, at now: Duration) -> Bool {
        guard let device = owner.device else { return false }
        if let former = owners[token], former != owner { remove(former) }
        if users[owner.user]?[device] == nil {
            if owners.count >= limits.tokens, now >= nextSearch ?? now {
                nextSearch = now + Self.searchInterval
                sweep(at: now)
            }
            guard owners.count < limits.tokens else { return false }
            makeRoom(for: owner.user)
        }
        let old = users[owner.user]?[device]
        if let old { owners[old.token] = nil }
        if old?.token != token || now - (old?.registeredAt ?? now) >= Self.noteworthyAge { changes += 1 }
        users[owner.user, default: [:]][device] = Entry(token: token, registeredAt: now)
        owners[token] = owner
        return true
    }

    /// Removes the token of a device.
    mutating func remove(_ owner: SignalingAddress) {
        guard let device = owner.device, let entry = users[owner.user]?.removeValue(forKey: device) else { return }
        if users[owner.user]?.isEmpty == true { users[owner.user] = nil }
        owners[entry.token] = nil
        changes += 1
    }

    /// Removes a token that is dead, unless it was registered again meanwhile.
    ///
    /// - Parameter age: How long it has been dead; `nil` if that is unknown.
    /// - Returns: Whether it was removed.
    mutating func drop(_ token: PushToken, deadSince age: Duration?, at now: Duration) -> Bool {
        guard let owner = owners[token], let device = owner.device, let entry = users[owner.user]?[device] else {
            return false
        }
        if let age, entry.registeredAt > now - age { return false }
        remove(owner)
        return true
    }

    /// The tokens of a user's devices, or of the one device that the address names, in the order of the devices.
    func tokens(of address: SignalingAddress, at now: Duration) -> [(device: SignalingDeviceID, token: PushToken)] {
        (users[address.user] ?? [:])
            .filter { address.device == nil || address.device == $0.key }
            .filter { now - $0.value.registeredAt < limits.tokenLifetime }
            .map { ($0.key, $0.value.token) }.sorted { $0.device < $1.device }
    }

    /// Removes the tokens of devices that have not signed in for long.
    mutating func sweep(at now: Duration) {
        for (token, owner) in owners {
            guard let device = owner.device, let entry = users[owner.user]?[device], entry.token == token,
                now - entry.registeredAt < limits.tokenLifetime
            else {
                remove(owner)
                continue
            }
        }
    }

    /// Removes the oldest token of a user who has as many as allowed.
    private mutating func makeRoom(for user: UserID) {
        guard let devices = users[user], devices.count >= limits.tokensPerUser,
            let oldest = devices.min(by: { ($0.value.registeredAt, $0.key) < ($1.value.registeredAt, $1.key) })
        else { return }
        remove(SignalingAddress(user: user, device: oldest.key))
    }
}
