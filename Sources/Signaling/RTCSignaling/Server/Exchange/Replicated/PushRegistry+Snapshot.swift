extension PushRegistry {
    /// The limits of the tokens that servers share. They are the same at all of them, whatever each may do with its pushes.
    static let sharedLimits = PushLimits()
}

extension StateWriter {
    mutating func write(_ registry: PushRegistry) {
        // Times are compared sooner than names.
        let entries = registry.entries.sorted {
            ($0.registeredAt, $0.user, $0.device) < ($1.registeredAt, $1.user, $1.device)
        }
        write(list: entries) { writer, entry in
            writer.write(entry.user)
            writer.write(entry.device)
            writer.write(entry.token)
            writer.write(entry.registeredAt)
        }
        write(optional: registry.nextSearch) { $0.write($1) }
        write(registry.nextSweep)
    }
}

extension StateReader {
    /// - Throws: If there are more than ``PushRegistry/sharedLimits`` allow, or a device or a token is there twice.
    mutating func pushTokens() throws -> PushRegistry {
        let limits = PushRegistry.sharedLimits
        let registrations = try list(atMost: limits.tokens) { reader -> PushRegistry.Registration in
            (
                user: try reader.identifier(), device: try reader.identifier(), token: try reader.identifier(),
                registeredAt: try reader.duration()
            )
        }
        let (nextSearch, nextSweep) = (try optional { try $0.duration() }, try duration())
        guard
            let registry = PushRegistry(limits, registrations, nextSearch: nextSearch, nextSweep: nextSweep)
        else { throw StateError() }
        return registry
    }
}
