extension StateWriter {
    mutating func write(_ limits: ExchangeLimits) {
        for number in [
            limits.devicesPerUser, limits.callsPerDevice, limits.inviteBurst, limits.ringingPerPair,
            limits.ringingPerCallee, limits.unacknowledgedMessages, limits.unacknowledgedBytes, limits.waitingBytes,
            limits.sessions, limits.sessionsAway, limits.earlyCandidates, limits.earlyCandidateBytes,
        ] {
            write(number)
        }
        for duration in [
            limits.inviteInterval, limits.resumeWindow, limits.endedCallMemory, limits.attachWindow,
        ] {
            write(duration)
        }
        write(limits.longestLifetime)
        write(limits.pingInterval)
        write(limits.ringsAbsentUsers)
    }
}

extension StateReader {
    /// - Throws: If a limit is none: negative, or too large to calculate with.
    mutating func limits() throws -> ExchangeLimits {
        var limits = ExchangeLimits()
        limits.devicesPerUser = try limit()
        limits.callsPerDevice = try limit()
        limits.inviteBurst = try limit()
        limits.ringingPerPair = try limit()
        limits.ringingPerCallee = try limit()
        limits.unacknowledgedMessages = try limit()
        limits.unacknowledgedBytes = try limit()
        limits.waitingBytes = try limit()
        limits.sessions = try limit()
        limits.sessionsAway = try limit()
        limits.earlyCandidates = try limit()
        limits.earlyCandidateBytes = try limit()
        limits.inviteInterval = try window()
        limits.resumeWindow = try window()
        limits.endedCallMemory = try window()
        limits.attachWindow = try window()
        limits.longestLifetime = try seconds()
        limits.pingInterval = try seconds()
        limits.ringsAbsentUsers = try flag()
        return limits
    }

    private mutating func limit() throws -> Int {
        let limit = try signed()
        guard 0...(1 << 40) ~= limit else { throw StateError() }
        return limit
    }

    /// Seconds that a duration can be made of.
    private mutating func seconds() throws -> Double {
        let seconds = try double()
        guard (0...1e9).contains(seconds) else { throw StateError() }
        return seconds
    }

    private mutating func window() throws -> Duration {
        let window = try duration()
        guard .zero...(.seconds(1 << 24)) ~= window else { throw StateError() }
        return window
    }
}
