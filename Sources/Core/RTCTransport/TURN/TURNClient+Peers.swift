public import RTCWire

/// Permissions and channels (RFC 8656, sections 9 to 12).
extension TURNClient {
    /// Installs a permission for a peer, before the first packet, so that the packet need not wait.
    public mutating func permit(_ peer: IPAddress, at now: Instant) {
        guard state == .allocated else { return }
        _ = usePermission(peer, at: now)
        advance(at: now)
    }

    /// Asks for a channel to `peer`, which costs 4 bytes a packet and not 36 or 48. Packets need not wait for it.
    public mutating func bind(_ peer: TransportAddress, at now: Instant) {
        guard state == .allocated else { return }
        startChannel(to: peer, at: now)
        advance(at: now)
    }

    // MARK: Permissions

    /// Marks a permission for `ip` as used, and requests one if there is none.
    ///
    /// - Returns: Whether it is installed.
    mutating func usePermission(_ ip: IPAddress, at now: Instant) -> Bool {
        if let index = permissions.firstIndex(where: { $0.ip == ip }) {
            permissions[index].lastUsed = now
            switch permissions[index].state {
            case .installed: return true
            case .requested: return false
            case .refused(let until):
                guard until <= now else { return false }
                permissions[index].state = .requested
                request(.createPermission(ip), at: now)
                return false
            }
        }
        // The server relays only within one address family (section 9.1: 443).
        guard relayed.contains(where: { $0.ip.isIPv4 == ip.isIPv4 }), makeRoomForPermission(at: now) else {
            return false
        }
        permissions.append(TURNPermission(ip: ip, state: .requested, lastUsed: now))
        request(.createPermission(ip), at: now)
        return false
    }

    /// Makes room by removing the least recently used permission, if it was idle for 30 seconds.
    private mutating func makeRoomForPermission(at now: Instant) -> Bool {
        guard permissions.count >= configuration.maximumPermissions else { return true }
        let oldest = permissions.indices.min { permissions[$0].lastUsed < permissions[$1].lastUsed }
        guard let oldest, now - permissions[oldest].lastUsed >= .seconds(30) else { return false }
        let ip = permissions.remove(at: oldest).ip
        transactions.removeAll { $0.request == .createPermission(ip) }
        held.removeAll { $0.peer.ip == ip }
        return true
    }

    mutating func permissionSucceeded(_ ip: IPAddress, at now: Instant) {
        guard let index = permissions.firstIndex(where: { $0.ip == ip }) else { return }
        permissions[index].state = .installed(until: now + TURNPermission.lifetime)
        permissions[index].refreshAt = now + TURNPermission.refreshInterval
    }

    mutating func permissionFailed(_ ip: IPAddress, _ failure: TURNFailure, at now: Instant) {
        guard state == .allocated, let index = permissions.firstIndex(where: { $0.ip == ip }) else { return }
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
            refreshAt = now
        default: wait = .seconds(10)
        }
        if case .installed(let until) = permissions[index].state, until > now {
            // Without a refresh the permission lasts until it expires.
            permissions[index].refreshAt = now + wait
            return
        }
        held.removeAll { $0.peer.ip == ip }
        if wait == .seconds(60) { events.append(.refused(peer: ip, failure)) }
        permissions[index].state = .refused(until: now + wait)
        permissions[index].refreshAt = .distantFuture
    }

    mutating func runPermissions(at now: Instant) {
        var index = 0
        while index < permissions.count {
            switch permissions[index].state {
            case .installed(let until) where until <= now:
                permissions.remove(at: index)
                continue
            case .installed where permissions[index].refreshAt <= now:
                permissions[index].refreshAt = .distantFuture
                // An unused permission expires.
                let ip = permissions[index].ip
                if now - permissions[index].lastUsed < TURNPermission.lifetime {
                    request(.createPermission(ip), at: now)
                }
            case .refused(let until) where until <= now:
                permissions.remove(at: index)
                continue
            default: break
            }
            index += 1
        }
    }

    // MARK: Channels

    /// The index of the channel that is bound to `peer`, if any.
    func boundChannel(to peer: TransportAddress) -> Int? {
        channels.firstIndex { channel in
            guard channel.peer == peer, case .bound = channel.state else { return false }
            return true
        }
    }

    mutating func startChannel(to peer: TransportAddress, at now: Instant) {
        guard channelsAllowedFrom <= now, relayed.contains(where: { $0.ip.isIPv4 == peer.ip.isIPv4 }) else { return }
        if let index = channels.firstIndex(where: { $0.peer == peer }) {
            // A peer keeps its channel number while that is unusable; the same number may be bound again at any time.
            guard case .unusable = channels[index].state, channels[index].retryAt <= now else { return }
            channels[index].state = .requested
            channels[index].refreshAt = .distantFuture
            request(.channelBind(channels[index].number, peer), at: now)
            return
        }
        guard channels.count < configuration.maximumChannels else { return }
        var number: UInt16
        var tries = 0
        repeat {
            number = TURNChannelData.channels.lowerBound + nextChannel
            nextChannel = (nextChannel + 1) % UInt16(TURNChannelData.channels.count)
            tries += 1
        } while tries < 512 && channels.contains { $0.number == number }
        channels.append(TURNChannel(number: number, peer: peer, state: .requested, lastUsed: now))
        request(.channelBind(number, peer), at: now)
    }

    mutating func channelSucceeded(_ number: UInt16, _ peer: TransportAddress, at now: Instant) {
        guard let index = channels.firstIndex(where: { $0.number == number && $0.peer == peer }) else { return }
        let isNew = channels[index].state == .requested
        channels[index].state = .bound(until: now + TURNChannel.lifetime)
        channels[index].refreshAt = now + TURNChannel.refreshInterval
        // Section 12.2: a channel binding installs a permission too.
        if let permission = permissions.firstIndex(where: { $0.ip == peer.ip }) {
            permissions[permission].state = .installed(until: now + TURNPermission.lifetime)
            permissions[permission].refreshAt = now + TURNPermission.refreshInterval
            transactions.removeAll { $0.request == .createPermission(peer.ip) }
        }
        if isNew { events.append(.bound(peer: peer)) }
    }

    mutating func channelFailed(
        _ number: UInt16, _ peer: TransportAddress, _ failure: TURNFailure, at now: Instant
    ) {
        guard state == .allocated,
            let index = channels.firstIndex(where: { $0.number == number && $0.peer == peer })
        else { return }
        if concernsAllocation(failure) {
            lose(failure, at: now)
            return
        }
        var wait = TimeDelta.seconds(10)
        switch failure.reason {
        case .quotaReached, .insufficientCapacity, .serverError:
            wait = .seconds(60)
            channelsAllowedFrom = now + wait
        case .noAnswer: refreshAt = now
        case .forbidden, .refused, .addressFamily: wait = .seconds(60)
        default: break
        }
        if case .bound(let until) = channels[index].state, until > now {
            // Without a refresh the binding lasts until it expires.
            channels[index].refreshAt = now + wait
            return
        }
        // The server may have bound the number or not, so it is not reused until any binding must have expired.
        let mayBeBound = failure.reason == .noAnswer
        channels[index].state = .unusable(
            until: now + TURNChannel.lifetime + TURNChannel.rest, mayBeBound: mayBeBound)
        channels[index].refreshAt = .distantFuture
        channels[index].retryAt = mayBeBound ? now + wait : .distantFuture
    }

    mutating func runChannels(at now: Instant) {
        var index = 0
        while index < channels.count {
            switch channels[index].state {
            case .bound(let until) where until <= now:
                channels[index].state = .unusable(until: now + TURNChannel.rest, mayBeBound: true)
                channels[index].refreshAt = .distantFuture
                channels[index].retryAt = now
            case .bound where channels[index].refreshAt <= now:
                channels[index].refreshAt = .distantFuture
                let (number, peer) = (channels[index].number, channels[index].peer)
                if now - channels[index].lastUsed < TURNChannel.lifetime {
                    request(.channelBind(number, peer), at: now)
                }
            case .unusable(let until, _) where until <= now:
                channels.remove(at: index)
                continue
            default: break
            }
            index += 1
        }
    }
}

extension TURNPermission {
    var nextDeadline: Instant {
        switch state {
        case .requested: .distantFuture
        case .installed(let until), .refused(let until): min(until, refreshAt)
        }
    }
}

extension TURNChannel {
    var nextDeadline: Instant {
        switch state {
        case .requested: .distantFuture
        case .bound(let until), .unusable(let until, _): min(until, refreshAt)
        }
    }
}
