internal import NIOCore
internal import NIOWebSocket
internal import RTCWire

// MARK: - Silence

extension ServerCore {
    func sweep() {
        let now = now
        var pings = 0
        for socket in sockets.values {
            measure(socket)
            closeIfExcessive(socket)
            if let deadline = socket.deadline {
                if deadline <= now { expire(socket) }
            } else if hasTokenExpired(socket), socket.renewalEnd.map({ $0 <= now }) ?? true {
                handleTokenExpiry(of: socket)
            } else if now - socket.lastReceived >= limits.pingInterval, !socket.isQueued {
                if !socket.isPinged {
                    // Sockets that were opened at the same time are pinged in several sweeps.
                    guard pings < Self.pingsAtOnce else { continue }
                    pings += 1
                    socket.isPinged = true
                    socket.write(.ping, ByteBuffer())
                    socket.flush()
                } else if now - socket.lastReceived >= limits.pingInterval * 2 {
                    fail(socket, .idle, "Nothing was heard of you.")
                }
            }
        }
        if now >= nextAddressSweep {
            nextAddressSweep = now + .seconds(30)
            addresses.sweep(at: now)
        }
        drain()
        traces.sweep(at: now)
        if metrics.isEnabled { metrics.sample(statistics) }
    }

    /// Updates the memory held by a socket.
    func measure(_ socket: ServerSocket) {
        guard sockets[socket.id] != nil else { return }
        let unsent = (try? socket.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let unheard = (socket.inbound?.heldBytes ?? 0) + (socket.handshake?.heldBytes ?? 0)
        let held =
            unsent + unheard + socket.requestBytes + socket.fragmentBytes
            + (socket.nextRenewal?.token.utf8.count ?? 0)
        heldBytes += held - socket.heldBytes
        socket.heldBytes = held
    }

    /// Closes the sockets that hold most, until there is room again.
    func evict() {
        for socket in sockets.values { measure(socket) }
        var excess = heldBytes - limits.waitingBytes / 2 / 4 * 3
        guard heldBytes > limits.waitingBytes / 2 else { return }
        for socket in sockets.values.sorted(by: { $0.heldBytes > $1.heldBytes }) where excess > 0 {
            excess -= socket.heldBytes
            heldBytes -= socket.heldBytes
            socket.heldBytes = 0
            isTooSlow(socket)
        }
    }

    private func expire(_ socket: ServerSocket) {
        switch socket.state {
        case .opened, .authenticating: fail(socket, .signInTimeout, "There was no “hello” in time.")
        case .http, .upgrading, .closing, .signedIn: socket.drop()
        }
    }
}
