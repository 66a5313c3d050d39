package import RTCWire

extension ICEAgent {
    /// Withdraws a ``restart(credentials:at:)`` that was not answered, because its offer was rolled back.
    ///
    /// The previous generation is current again, with its validated pairs. If it had none, its checks restart for the
    /// candidates that are signalled again, which the next restart causes.
    ///
    /// - Parameters:
    ///   - local: The credentials before the restart.
    ///   - remote: The peer's credentials that belong to them, or `nil` if there were none.
    package mutating func cancelRestart(local: ICECredentials, remote: ICECredentials?, at now: Instant) {
        guard state != .closed, current.local != local else { return }
        early.removeAll()
        if var restored = previous, restored.local == local {
            let withdrawn = current.number
            pairs.removeAll { $0.generation == withdrawn }
            // The next generation reuses this number.
            remoteCandidates.removeAll { $0.generation == withdrawn }
            restored.retiresAt = nil
            current = restored
            previous = nil
            rebuildAcceptedPaths()
            advance(at: now)
        } else {
            let isLite = current.isRemoteLite
            beginGeneration(local: local)
            if let remote { setRemote(remote, isLite: isLite, at: now) }
        }
        if selectedPath != nil, state == .checking { setState(.connected) }
    }
}
