extension KeyValueBucket {
    package func watch(_ filter: KeyValueFilter) async throws(NATSError) -> KeyValueWatch {
        try await watch(filter, includesExisting: true)
    }

    /// Begins a watch.
    ///
    /// - Parameters:
    ///   - includesExisting: Whether the last entry of each key comes first. Otherwise the watch begins with `caughtUp`.
    ///   - heartbeat: How often the server says that it is there. After three times without it the watch looks for another server.
    package func watch(
        _ filter: KeyValueFilter, includesExisting: Bool, heartbeat: Duration = .seconds(2)
    ) async throws(NATSError) -> KeyValueWatch {
        KeyValueWatch(
            try await OrderedWatch.begin(
                self, filter, OrderedWatch.Options(includesExisting: includesExisting, heartbeat: heartbeat)))
    }

    /// Returns the keys that have a value, in the order in which they were written.
    ///
    /// - Throws: ``NATSError`` `tooManyKeys` if there are more than `limit`.
    package func keys(
        _ filter: KeyValueFilter = .all, limit: Int = 100_000
    ) async throws(NATSError) -> [KeyValueKey] {
        let watch = try await OrderedWatch.begin(self, filter, OrderedWatch.Options(hasValues: false))
        var keys: [KeyValueKey] = []
        var places: [KeyValueKey: Int] = [:]
        var gone: Set<Int> = []
        while let change = try await watch.next() {
            guard case .entry(let entry) = change else { break }
            if let place = places.removeValue(forKey: entry.key) { gone.insert(place) }
            guard entry.operation == .put else { continue }
            guard places.count < limit else { throw NATSError(.tooManyKeys, "there are more than \(limit) keys") }
            places[entry.key] = keys.count
            keys.append(entry.key)
        }
        return keys.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }
}
