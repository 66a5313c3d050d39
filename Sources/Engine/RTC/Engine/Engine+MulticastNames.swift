internal import NIOCore
internal import RTCPeer
internal import RTCWire

extension Engine {
    /// A `.local` name of the other peer's candidate. It is asked of the local network: a name of several labels would go
    /// to the name server, which the other peer may own.
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
            NameResolver.resolve(name, on: loop) { [weak self] result in
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

    /// Others have taken all questions of the process: their time is over soon.
    private func askAgain(_ name: String, tries: Int) {
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            guard let self, !isClosed else { return }
            multicastNames.waiting.append((name, tries))
            askForMulticastNames()
        }
    }
}

/// `.local` names of the other peer's candidates. All connections of the process ask by one querier, which has room for 64
/// questions: no peer may take them all.
struct MulticastNames {
    static let maximumOpen = 8
    static let maximumWaiting = 64
    static let maximumTries = 8

    var open = 0
    /// Names that are not asked for yet, and how often there was no room for them.
    var waiting: [(name: String, tries: Int)] = []
}
