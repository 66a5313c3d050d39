internal import NIOCore
internal import NIOWebSocket
internal import RTCWire

// MARK: - Silence

extension ServerCore {
    func sweep() {
        let now = now
        for socket in sockets.all {
            sockets.measure(socket)
            closeIfExcessive(socket)
            if let deadline = socket.deadline {
                if deadline <= now { expire(socket) }
            } else if socket.credential.isOver(at: now) {
                handleTokenExpiry(of: socket)
            } else if now - socket.lastReceived >= PingTurns.delay(of: socket.id, limits.pingInterval), !socket.isQueued
            {
                if !socket.isPinged {
                    socket.isPinged = true
                    pings.append(socket.id)
                } else if now - socket.lastReceived >= limits.pingInterval * 2 {
                    fail(socket, .idle, "Nothing was heard of you.")
                }
            }
        }
        if !pings.isScheduled { sendPings() }
        if now >= nextAddressSweep {
            nextAddressSweep = now + .seconds(30)
            addresses.sweep(at: now)
        }
        drain()
        traces.sweep(at: now)
        if metrics.isEnabled { metrics.sample(statistics) }
    }

    /// Sends some of the pings that are due, and the others a little later.
    private func sendPings() {
        pings.isScheduled = false
        var count = 0
        while count < PingTurns.atOnce, let id = pings.popFirst() {
            // Some have been heard of, or have gone, while they waited.
            guard let socket = sockets[id], socket.isPinged, socket.deadline == nil else { continue }
            socket.write(.ping, ByteBuffer())
            socket.flush()
            count += 1
        }
        guard !pings.isEmpty else { return }
        pings.isScheduled = true
        let own = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: PingTurns.pause) { own.value.sendPings() }
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
