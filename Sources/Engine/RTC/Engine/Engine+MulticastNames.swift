internal import NIOCore
internal import RTCNetwork
internal import RTCPeer
internal import RTCWire

extension Engine {
    /// Resolves a `.local` name of a remote candidate by mDNS. A name of several labels is refused: it would go to the
    /// name server, which the remote peer may control.
    func resolveMulticastName(_ name: String) {
        guard MulticastDNSName(name) != nil, multicastNames.waiting.count < MulticastNames.maximumWaiting else {
            peer.resolved(name: name, to: [], at: now)
            return scheduleDrain()
        }
        multicastNames.waiting.append((name, 0))
        askForMulticastNames()
    }

    private func askForMulticastNames() {
        while multicastNames.open < MulticastNames.maximumOpen, !multicastNames.waiting.isEmpty {
            let (name, tries) = multicastNames.waiting.removeFirst()
            multicastNames.open += 1
            NameResolver.resolve(name, multicast: MulticastDNSQuerier.ofMachine, on: loop) { [weak self] result in
                guard let self, !isClosed else { return }
                multicastNames.open -= 1
                if case .failure(.busy) = result, tries < MulticastNames.maximumTries {
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
            multicastNames.waiting.append((name, tries))
            askForMulticastNames()
        }
    }
}

/// The `.local` names of remote candidates. All connections of the process share one querier with room for 64 queries:
/// no peer may use them all.
struct MulticastNames {
    static let maximumOpen = 8
    static let maximumWaiting = 64
    static let maximumTries = 8

    var open = 0
    /// Names not queried yet, with the number of attempts that found no room.
    var waiting: [(name: String, tries: Int)] = []
}
