internal import RTCWire

extension TURNClient {
    /// What belongs to one allocation, and ends with it (RFC 8656, sections 7 to 12).
    struct Allocation {
        /// The addresses that the server relays from, one per family.
        let relayed: [TransportAddress]
        let mapped: TransportAddress
        let createdAt: Instant
        var expiresAt = Instant.distantFuture
        var refreshAt = Instant.distantFuture
        var permissions: [TURNPermission] = []
        var channels: [TURNChannel] = []
        /// The offset of the next channel number.
        private var nextChannel: UInt16 = 0
        /// Whether a keepalive is to be written.
        var keepsAlive = false
        /// Packets that wait for a permission, oldest first.
        var held: [(peer: TransportAddress, bytes: [UInt8])] = []

        init(relayed: [TransportAddress], mapped: TransportAddress, createdAt: Instant) {
            self.relayed = relayed
            self.mapped = mapped
            self.createdAt = createdAt
        }

        /// Extends the allocation by `lifetime` seconds from now.
        mutating func keep(for lifetime: UInt32, at now: Instant) {
            // Clamped: a lifetime of a few seconds would cause endless refreshes, and one of years none at all.
            let seconds = Int64(min(max(lifetime, Self.leastLifetime), Self.maximumLifetime))
            expiresAt = now + .seconds(seconds)
            // Leaves time for all retransmissions twice, or half of a short lifetime.
            refreshAt = now + .seconds(max(seconds - 90, seconds / 2))
        }

        private static let leastLifetime: UInt32 = 20
        private static let maximumLifetime: UInt32 = 86_400

        var nextDeadline: Instant {
            var next = min(refreshAt, expiresAt)
            for permission in permissions { next = min(next, permission.nextDeadline) }
            for channel in channels { next = min(next, channel.nextDeadline) }
            return next
        }

        // MARK: Permissions

        /// Marks the permission for `ip` as installed from now on.
        ///
        /// - Returns: Whether there is one.
        @discardableResult
        mutating func installPermission(for ip: IPAddress, at now: Instant) -> Bool {
            guard let index = permissions.firstIndex(where: { $0.ip == ip }) else { return false }
            permissions[index].state = .installed(until: now + TURNPermission.lifetime)
            permissions[index].refreshAt = now + TURNPermission.refreshInterval
            return true
        }

        /// Removes permissions that have ended, and returns the addresses whose permission is to be refreshed.
        mutating func takeDuePermissions(at now: Instant) -> [IPAddress] {
            var due: [IPAddress] = []
            var index = 0
            while index < permissions.count {
                switch permissions[index].state {
                case .installed(let until) where until <= now:
                    permissions.remove(at: index)
                    continue
                case .installed where permissions[index].refreshAt <= now:
                    permissions[index].refreshAt = .distantFuture
                    // An unused permission expires.
                    if now - permissions[index].lastUsed < TURNPermission.lifetime { due.append(permissions[index].ip) }
                case .refused(let until) where until <= now:
                    permissions.remove(at: index)
                    continue
                default: break
                }
                index += 1
            }
            return due
        }

        /// Removes the oldest packet whose permission is installed, and returns it.
        mutating func takePermittedPacket() -> (peer: TransportAddress, bytes: [UInt8])? {
            let index = held.firstIndex { packet in
                permissions.contains {
                    guard $0.ip == packet.peer.ip, case .installed = $0.state else { return false }
                    return true
                }
            }
            return index.map { held.remove(at: $0) }
        }

        // MARK: Channels

        /// Marks a channel as used, and returns its number.
        mutating func useChannel(_ index: Int, at now: Instant) -> UInt16? {
            guard channels.indices.contains(index) else { return nil }
            channels[index].lastUsed = now
            return channels[index].number
        }

        /// Adds a channel to `peer`, or takes up one that was unusable.
        ///
        /// - Returns: The number to be bound, or `nil` if there is nothing to be requested.
        mutating func requestChannel(to peer: TransportAddress, limit: Int, at now: Instant) -> UInt16? {
            if let index = channels.firstIndex(where: { $0.peer == peer }) {
                // A peer keeps its channel number while that is unusable; the same number may be bound again at any
                // time.
                guard case .unusable = channels[index].state, channels[index].retryAt <= now else { return nil }
                channels[index].state = .requested
                channels[index].refreshAt = .distantFuture
                return channels[index].number
            }
            guard channels.count < limit else { return nil }
            var number: UInt16
            var tries = 0
            repeat {
                number = TURNChannelData.channels.lowerBound + nextChannel
                nextChannel = (nextChannel + 1) % UInt16(TURNChannelData.channels.count)
                tries += 1
            } while tries < 512 && channels.contains { $0.number == number }
            channels.append(TURNChannel(number: number, peer: peer, state: .requested, lastUsed: now))
            return number
        }

        /// Ends bindings that have expired, and returns the channels whose binding is to be refreshed.
        mutating func takeDueChannels(at now: Instant) -> [TURNChannel] {
            var due: [TURNChannel] = []
            var index = 0
            while index < channels.count {
                switch channels[index].state {
                case .bound(let until) where until <= now:
                    channels[index].state = .unusable(until: now + TURNChannel.rest, mayBeBound: true)
                    channels[index].refreshAt = .distantFuture
                    channels[index].retryAt = now
                case .bound where channels[index].refreshAt <= now:
                    channels[index].refreshAt = .distantFuture
                    if now - channels[index].lastUsed < TURNChannel.lifetime { due.append(channels[index]) }
                case .unusable(let until, _) where until <= now:
                    channels.remove(at: index)
                    continue
                default: break
                }
                index += 1
            }
            return due
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
