import RTC
import RTCSignaling

extension CallSession {
    /// Does what is due; comes ten times a second.
    func tick(_ now: ContinuousClock.Instant) async {
        guard let call else { return }
        func isDue(_ deadline: ContinuousClock.Instant?) -> Bool { deadline.map { $0 <= now } ?? false }
        if isDue(call.deadlines.accept) { return await accept() }
        if isDue(call.deadlines.hangUp) { return await hangUp() }
        if let since = call.pathlessSince {
            let limit = call.peerIsAway ? CallSettings.patienceWithAbsent : CallSettings.patience
            if since.duration(to: now) > limit {
                let reason = await call.connection?.failureReason
                say { () throws(SignalingClientError) in try client.hangUp(call.id, reason: .connectionFailed) }
                let lost = call.wasConnected ? "the path to \(call.peerName) is lost" : "no path was found"
                return await end(.connectionFailed(reason ?? lost))
            }
        }
        if isDue(call.deadlines.restart) {
            self.call?.deadlines.restart = now + CallSettings.restartInterval
            // An offer that nobody carries would only be in the way of the next one.
            if client.isConnected { await call.connection?.restartICE() }
        }
        if isDue(call.deadlines.figures) {
            self.call?.deadlines.figures = (call.deadlines.figures ?? now) + .seconds(1)
            await showFigures(at: now)
        }
    }

    private func showFigures(at now: ContinuousClock.Instant) async {
        guard let call, let connection = call.connection, let connectedAt = call.connectedAt else { return }
        let report = await connection.getStats()
        let seconds = call.lastReport.map { $0.time.duration(to: now) / .seconds(1) } ?? 0
        let figures = CallFigures(report, since: call.lastReport?.report, seconds: seconds)
        self.call?.lastReport = (report, now)
        if let roundTrip = figures.roundTrip { self.call?.roundTrips.append(roundTrip) }
        let lasted = connectedAt.duration(to: now) / .seconds(1)
        reporter.show(.figures(figures, state: call.state, seconds: lasted, report))
        if call.state == .connected { await sinks.status(Self.brief(figures, seconds: lasted)) }
    }

    /// One line for the window.
    private static func brief(_ figures: CallFigures, seconds: Double) -> String {
        var parts = [CallTable.time(seconds)]
        if let video = figures.receivedVideo {
            if let width = video.width, let height = video.height { parts.append("\(width)×\(height)") }
            if let codec = video.codec { parts.append(codec) }
            if let bitrate = video.bitrate { parts.append("\(Int(bitrate / 1_000)) kbit/s") }
        }
        if let roundTrip = figures.roundTrip { parts.append("\(Int((roundTrip * 1_000).rounded())) ms") }
        return parts.joined(separator: "  ·  ")
    }
}
