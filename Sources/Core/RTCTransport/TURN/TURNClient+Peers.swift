package import RTCWire

/// Permissions and channels (RFC 8656, sections 9 to 12).
extension TURNClient {
    /// Installs a permission for a peer, before the first packet, so that the packet need not wait.
    package mutating func permit(_ peer: IPAddress, at now: Instant) {
        guard state == .allocated else { return }
        _ = usePermission(peer, at: now)
        advance(at: now)
    }

    /// Asks for a channel to `peer`, which costs 4 bytes a packet and not 36 or 48. Packets need not wait for it.
    package mutating func bind(_ peer: TransportAddress, at now: Instant) {
        guard state == .allocated else { return }
        startChannel(to: peer, at: now)
        advance(at: now)
    }

    // MARK: Permissions

    /// Marks a permission for `ip` as used, and requests one if there is none.
    ///
    /// - Returns: Whether it is installed.
    mutating func usePermission(_ ip: IPAddress, at now: Instant) -> Bool {
        if let index = allocation?.permissions.firstIndex(where: { $0.ip == ip }) {
            allocation?.permissions[index].lastUsed = now
            switch allocation?.permissions[index].state {
            case .installed: return true
            case .refused(let until) where until <= now:
                allocation?.permissions[index].state = .requested
                request(.createPermission(ip), at: now)
                return false
            case .requested, .refused, nil: return false
            }
        }
        // The server relays only within one address family (section 9.1: 443).
        guard relayed.contains(where: { $0.ip.isIPv4 == ip.isIPv4 }), makeRoomForPermission(at: now) else {
            return false
        }
        allocation?.permissions.append(TURNPermission(ip: ip, state: .requested, lastUsed: now))
        request(.createPermission(ip), at: now)
        return false
    }

    /// Makes room by removing the least recently used permission, if it was idle for 30 seconds.
    private mutating func makeRoomForPermission(at now: Instant) -> Bool {
        let count = allocation?.permissions.count ?? 0
        guard count >= configuration.maximumPermissions else { return true }
        let oldest = allocation?.permissions.min { $0.lastUsed < $1.lastUsed }
        guard let oldest, now - oldest.lastUsed >= .seconds(30) else { return false }
        allocation?.permissions.removeAll { $0.ip == oldest.ip }
        transactions.removeAll { $0.request == .createPermission(oldest.ip) }
        allocation?.held.removeAll { $0.peer.ip == oldest.ip }
        return true
    }

    mutating func permissionSucceeded(_ ip: IPAddress, at now: Instant) {
        allocation?.installPermission(for: ip, at: now)
    }

    mutating func permissionFailed(_ ip: IPAddress, _ failure: TURNFailure, at now: Instant) {
        guard let index = allocation?.permissions.firstIndex(where: { $0.ip == ip }) else { return }
        if concernsAllocation(failure) {
            lose(failure, at: now)
            return
        }
        let wait: TimeDelta
        switch failure.reason {
        case .forbidden, .addressFamily, .refused:
            // The server does not relay to this address, which is unlikely to change soon.
            wait = .seconds(60)
        case .noAnswer:
            // The server may be unreachable altogether.
            wait = .seconds(1)
            allocation?.refreshAt = now
        default: wait = .seconds(10)
        }
        if case .installed(let until) = allocation?.permissions[index].state, until > now {
            // Without a refresh the permission lasts until it expires.
            allocation?.permissions[index].refreshAt = now + wait
            return
        }
        allocation?.held.removeAll { $0.peer.ip == ip }
        if wait == .seconds(60) { events.append(.refused(peer: ip, failure)) }
        allocation?.permissions[index].state = .refused(until: now + wait)
        allocation?.permissions[index].refreshAt = .distantFuture
    }

    // MARK: Channels

    /// The index of the channel that is bound to `peer`, if any.
    func boundChannel(to peer: TransportAddress) -> Int? {
        allocation?.channels.firstIndex { channel in
            guard channel.peer == peer, case .bound = channel.state else { return false }
            return true
        }
    }

    mutating func startChannel(to peer: TransportAddress, at now: Instant) {
        guard channelsAllowedFrom <= now, relayed.contains(where: { $0.ip.isIPv4 == peer.ip.isIPv4 }),
            let number = allocation?.requestChannel(to: peer, limit: configuration.maximumChannels, at: now)
        else { return }
        request(.channelBind(number, peer), at: now)
    }

    mutating func channelSucceeded(_ number: UInt16, _ peer: TransportAddress, at now: Instant) {
        guard let index = allocation?.channels.firstIndex(where: { $0.number == number && $0.peer == peer }) else {
            return
        }
        let isNew = allocation?.channels[index].state == .requested
        allocation?.channels[index].state = .bound(until: now + TURNChannel.lifetime)
        allocation?.channels[index].refreshAt = now + TURNChannel.refreshInterval
        // Section 12.2: a channel binding installs a permission too.
        if allocation?.installPermission(for: peer.ip, at: now) == true {
            transactions.removeAll { $0.request == .createPermission(peer.ip) }
        }
        if isNew { events.append(.bound(peer: peer)) }
    }

    mutating func channelFailed(
        _ number: UInt16, _ peer: TransportAddress, _ failure: TURNFailure, at now: Instant
    ) {
        guard let index = allocation?.channels.firstIndex(where: { $0.number == number && $0.peer == peer }) else {
            return
        }
        if concernsAllocation(failure) {
            lose(failure, at: now)
            return
        }
        var wait = TimeDelta.seconds(10)
        switch failure.reason {
        case .quotaReached, .insufficientCapacity, .serverError:
            wait = .seconds(60)
            channelsAllowedFrom = now + wait
        case .noAnswer: allocation?.refreshAt = now
        case .forbidden, .refused, .addressFamily: wait = .seconds(60)
        default: break
        }
        if case .bound(let until) = allocation?.channels[index].state, until > now {
            // Without a refresh the binding lasts until it expires.
            allocation?.channels[index].refreshAt = now + wait
            return
        }
        // The server may have bound the number or not, so it is not reused until any binding must have expired.
        let mayBeBound = failure.reason == .noAnswer
        allocation?.channels[index].state = .unusable(
            until: now + TURNChannel.lifetime + TURNChannel.rest, mayBeBound: mayBeBound)
        allocation?.channels[index].refreshAt = .distantFuture
        allocation?.channels[index].retryAt = mayBeBound ? now + wait : .distantFuture
    }
}
