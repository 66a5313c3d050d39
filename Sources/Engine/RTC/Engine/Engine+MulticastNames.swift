internal import NIOCore
internal import RTCNetwork
internal import RTCPeer
internal import RTCWire

extension Engine {
    /// Resolves a `.local` name of a remote candidate by mDNS. A name of several labels is refused: it would go to the
    /// name server, which the remote peer may control.
    func resolveMulticastName(_ name: String) {
        guard MulticastDNSName(name) != nil, multicastNames.add(name) else {
            peer.resolved(name: name, to: [], at: now)
            return scheduleDrain()
        }
        askForMulticastNames()
    }

    private func askForMulticastNames() {
        while let (name, tries) = multicastNames.next() {
            NameResolver.resolve(name, multicast: MulticastDNSQuerier.ofMachine, on: loop) { [weak self] result in
                guard let self, !isClosed else { return }
                multicastNames.queryEnded()
                if case .failure(.busy) = result, MulticastNames.mayRetry(after: tries) {
                    askAgain(name, tries: tries + 1)
                } else {
                    peer.resolved(name: name, to: (try? result.get()) ?? [], at: now)
                    scheduleDrain()
                }
                askForMulticastNames()
            }
        }
    }

    /// Retries later, because other connections use all queries of the process, which end soon.
    private func askAgain(_ name: String, tries: Int) {
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            guard let self, !isClosed else { return }
            multicastNames.retry(name, tries: tries)
            askForMulticastNames()
        }
    }
}
