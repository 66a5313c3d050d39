extension CallCore {
    /// What was dropped. Noise is counted, never an error.
    struct Counters: Sendable, Hashable {
        /// Signals that could not be read.
        var malformedSignals = 0
        /// Signals of a kind that is not known.
        var unknownKinds = 0
        /// Candidates that could not be read.
        var malformedCandidates = 0
        /// What came of a call that had ended.
        var late = 0
        /// What came of a call that there never was, or from somebody who has no part in it.
        var unknownCalls = 0
        /// Signals that the call's state has no use for, repetitions among them.
        var unexpected = 0
        /// Candidates, of either side, for which there was no room.
        var surplusCandidates = 0
        /// `endCall`s that belonged to a signal, or to no call.
        var endCallsPassedOver = 0
        /// Events of connections that are closed.
        var staleConnectionEvents = 0
        /// What was given up after it could not be sent again and again, or for which there was no room.
        var unsent = 0
        /// State changes that the core wanted and the table has not: faults of the core's own, so always 0.
        var illegalChanges = 0

        private static let names: [(name: String, path: any WritableKeyPath<Counters, Int> & Sendable)] = [
            ("malformed signals", \.malformedSignals), ("signals of unknown kinds", \.unknownKinds),
            ("malformed candidates", \.malformedCandidates), ("late", \.late), ("of unknown calls", \.unknownCalls),
            ("unexpected", \.unexpected), ("surplus candidates", \.surplusCandidates),
            ("endCalls", \.endCallsPassedOver), ("of closed connections", \.staleConnectionEvents),
            ("unsent", \.unsent), ("illegal state changes", \.illegalChanges),
        ]

        /// What was counted since `earlier`.
        func since(_ earlier: Counters) -> Counters {
            var difference = self
            for (_, path) in Self.names { difference[keyPath: path] -= earlier[keyPath: path] }
            return difference
        }
    }
}

extension CallCore.Counters: CustomStringConvertible {
    /// What is not 0, such as `malformed signals 2, late 1`.
    var description: String {
        Self.names.filter { self[keyPath: $0.path] != 0 }.map { "\($0.name) \(self[keyPath: $0.path])" }
            .joined(separator: ", ")
    }
}
