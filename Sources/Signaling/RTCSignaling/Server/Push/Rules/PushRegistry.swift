/// The push tokens of devices, each of one device of one authenticated user.
struct PushRegistry {
    private struct Entry {
        var token: PushToken
        var registeredAt: Duration
    }

    /// A device's token, and when the device has registered it last.
    typealias Registration = (
        user: UserID, device: SignalingDeviceID, token: PushToken, registeredAt: Duration
    )

    let limits: PushLimits
    private var users: [UserID: [SignalingDeviceID: Entry]] = [:]
    private var owners: [PushToken: SignalingAddress] = [:]
    /// The number of changes that are worth storing.
    private(set) var changes: UInt64 = 0

    /// When it is next looked for expired tokens because there is no room.
    private(set) var nextSearch: Duration?
    /// When ``sweepIfDue(at:)`` removes expired tokens.
    private(set) var nextSweep: Duration = .zero

    /// A search through all tokens takes time, which nobody may cause as often as one likes.
    private static let searchInterval: Duration = .seconds(60)
    private static let sweepInterval: Duration = .seconds(3_600)

    /// The age from which another registration of the same token is worth storing.
    private static let noteworthyAge: Duration = .seconds(86_400)

    init(_ limits: PushLimits) {
        self.limits = limits
    }

    /// Takes over what another registry had.
    ///
    /// - Returns: `nil` if no registry has that: too many, or a device or a token twice.
    init?(
        _ limits: PushLimits, _ registrations: [Registration], nextSearch: Duration?, nextSweep: Duration
    ) {
        self.init(limits)
        (self.nextSearch, self.nextSweep) = (nextSearch, nextSweep)
        guard registrations.count <= limits.tokens else { return nil }
        for (user, device, token, registeredAt) in registrations {
            let owner = SignalingAddress(user: user, device: device)
            let entry = Entry(token: token, registeredAt: registeredAt)
            guard owners.updateValue(owner, forKey: token) == nil,
                users[user, default: [:]].updateValue(entry, forKey: device) == nil,
                users[user, default: [:]].count <= limits.tokensPerUser
            else { return nil }
        }
    }

    /// The number of tokens.
    var count: Int { owners.count }

    var entries: [Registration] {
        users.flatMap { user, devices in devices.map { (user, $0.key, $0.value.token, $0.value.registeredAt) } }
    }

    /// Whether a registry can have this at that time: no token of the future, and no sweep put off for longer than until the next one.
    func isPossible(at now: Duration) -> Bool {
        nextSweep <= now + Self.sweepInterval && (nextSearch ?? now) <= now + Self.searchInterval
            && users.values.allSatisfy { $0.values.allSatisfy { $0.registeredAt <= now } }
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

    /// Registers tokens of a state that servers share. Of what is known here and there, what was registered last counts.
    mutating func learn(_ tokens: [KnownPushToken], at now: Duration) {
        var newest: [SignalingAddress: Registration] = [:]
        let known = tokens.map { ($0.user, $0.device, $0.token, now - $0.age) as Registration }
        for registration in entries + known where now - registration.registeredAt < limits.tokenLifetime {
            let owner = SignalingAddress(user: registration.user, device: registration.device)
            if let other = newest[owner], other.registeredAt > registration.registeredAt { continue }
            newest[owner] = registration
        }
        var registry = PushRegistry(limits)
        // The oldest first: of a token that is there twice, the last owner counts. If there are too many, the oldest go.
        let ordered = newest.values.sorted {
            ($0.registeredAt, $0.user, $0.device) < ($1.registeredAt, $1.user, $1.device)
        }
        for (user, device, token, registeredAt) in ordered.suffix(limits.tokens) {
            _ = registry.register(token, for: SignalingAddress(user: user, device: device), at: registeredAt)
        }
        registry.changes = changes &+ 1
        self = registry
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

    /// Removes expired tokens, once an hour.
    mutating func sweepIfDue(at now: Duration) {
        guard now >= nextSweep else { return }
        nextSweep = now + Self.sweepInterval
        sweep(at: now)
    }

    /// Removes the oldest token of a user who has as many as allowed.
    private mutating func makeRoom(for user: UserID) {
        guard let devices = users[user], devices.count >= limits.tokensPerUser,
            let oldest = devices.min(by: { ($0.value.registeredAt, $0.key) < ($1.value.registeredAt, $1.key) })
        else { return }
        remove(SignalingAddress(user: user, device: oldest.key))
    }
}
