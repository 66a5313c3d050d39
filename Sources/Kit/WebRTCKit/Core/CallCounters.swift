extension CallCore {
    /// The numbers of dropped messages. Noise is counted, and never an error.
    struct Counters: Sendable, Hashable {
        /// Signals that could not be parsed.
        var malformedSignals = 0
        /// Signals of an unknown kind.
        var unknownKinds = 0
        /// Candidates that could not be parsed.
        var malformedCandidates = 0
        /// Messages of calls that had ended.
        var late = 0
        /// Messages of unknown calls, or from peers that do not take part.
        var unknownCalls = 0
        /// Signals that the call's state does not allow, repetitions included.
        var unexpected = 0
        /// Candidates, local or remote, for which there was no room.
        var surplusCandidates = 0
        /// `endCall`s that belonged to a signal, or to no call.
        var endCallsPassedOver = 0
        /// Events of connections that are closed.
        var staleConnectionEvents = 0
        /// Messages given up after repeated failures, or for which there was no room.
        var unsent = 0
        /// Invalid state changes that the core tried: bugs of the core, so always 0.
        var illegalChanges = 0

        private static let names: [(name: String, path: any WritableKeyPath<Counters, Int> & Sendable)] = [
            ("malformed signals", \.malformedSignals), ("signals of unknown kinds", \.unknownKinds),
            ("malformed candidates", \.malformedCandidates), ("late", \.late), ("of unknown calls", \.unknownCalls),
            ("unexpected", \.unexpected), ("surplus candidates", \.surplusCandidates),
            ("endCalls", \.endCallsPassedOver), ("of closed connections", \.staleConnectionEvents),
            ("unsent", \.unsent), ("illegal state changes", \.illegalChanges),
        ]

        /// The difference to `earlier`.
        func since(_ earlier: Counters) -> Counters {
            var difference = self
            for (_, path) in Self.names { difference[keyPath: path] -= earlier[keyPath: path] }
            return difference
        }
    }
}

extension CallCore.Counters: CustomStringConvertible {
    /// The counters that are not 0, such as `malformed signals 2, late 1`.
    var description: String {
        Self.names.filter { self[keyPath: $0.path] != 0 }.map { "\($0.name) \(self[keyPath: $0.path])" }
            .joined(separator: ", ")
    }
}
