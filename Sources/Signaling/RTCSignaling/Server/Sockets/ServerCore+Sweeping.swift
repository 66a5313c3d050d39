internal import NIOCore
internal import NIOWebSocket
internal import RTCWire

// MARK: - Silence

extension ServerCore {
    func sweep() {
        let now = now
        var pings = 0
        for socket in sockets.all {
            sockets.measure(socket)
            closeIfExcessive(socket)
            if let deadline = socket.deadline {
                if deadline <= now { expire(socket) }
            } else if socket.credential.isOver(at: now) {
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

    /// Closes the sockets that hold most, until there is room again.
    func evict() {
        for socket in sockets.excessSockets(over: limits.waitingBytes / 2) { isTooSlow(socket) }
    }

    private func expire(_ socket: ServerSocket) {
        switch socket.state {
        case .opened, .authenticating: fail(socket, .signInTimeout, "There was no “hello” in time.")
        case .http, .upgrading, .closing, .signedIn: socket.drop()
        }
    }
}
