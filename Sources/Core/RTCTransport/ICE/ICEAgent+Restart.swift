public import RTCWire

extension ICEAgent {
    /// Withdraws a ``restart(credentials:at:)`` that no answer has followed, since its offer was rolled back.
    ///
    /// The generation before is current again, with what it had proved. If it had proved nothing, its checks begin
    /// anew as far as its candidates are signalled again, which the next restart sees to.
    ///
    /// - Parameters:
    ///   - local: The credentials that were in use before the restart.
    ///   - remote: The peer's that belong to them, or `nil` if there were none.
    public mutating func cancelRestart(local: ICECredentials, remote: ICECredentials?, at now: Instant) {
        guard state != .closed, current.local != local else { return }
        early.removeAll()
        if var restored = previous, restored.local == local {
            let withdrawn = current.number
            pairs.removeAll { $0.generation == withdrawn }
            // The next generation gets this number again.
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
