import RTC
import WebRTCKit

extension CallSession {
    /// Handles deadlines; called ten times a second.
    func tick(_ now: ContinuousClock.Instant) async {
        guard let call else { return }
        func isDue(_ deadline: ContinuousClock.Instant?) -> Bool { deadline.map { $0 <= now } ?? false }
        if isDue(call.deadlines.accept) { await answer(accept: true) }
        if isDue(call.deadlines.hangUp) { return await hangUp() }
        // The kit waits longer, since the peer's signalling may be restored.
        if call.call.peer.presence != .present, let since = call.pathlessSince,
            since.duration(to: now) > settings.timeoutWithAbsent
        {
            return await hangUp(call.wasConnected ? .connectionLost : .neverConnected)
        }
        if isDue(call.deadlines.verification) { await verified(.waiting) }
        if isDue(call.deadlines.figures) {
            self.call?.deadlines.figures = (call.deadlines.figures ?? now) + .seconds(1)
            await showFigures(at: now)
        }
    }

    private func showFigures(at now: ContinuousClock.Instant) async {
        guard let call, let connectedAt = call.connectedAt, let report = try? await controller.statistics() else {
            return
        }
        let seconds = call.lastReport.map { $0.time.duration(to: now) / .seconds(1) } ?? 0
        var figures = CallFigures(report, since: call.lastReport?.report, seconds: seconds)
        figures.quality = call.call.quality
        self.call?.lastReport = (report, now)
        if let roundTrip = figures.roundTrip { self.call?.roundTrips.append(roundTrip) }
        let lasted = connectedAt.duration(to: now) / .seconds(1)
        reporter.show(.figures(figures, state: call.state, seconds: lasted, report))
        if call.state == .connected { await sinks.status(Self.brief(figures, seconds: lasted)) }
    }

    /// One line for the window.
    private static func brief(_ figures: CallFigures, seconds: Double) -> String {
        var parts = [CallTable.time(seconds)]
        // A person needs no note that everything is good.
        if let quality = figures.quality, quality.level <= .fair { parts.insert(quality.text, at: 0) }
        if let video = figures.receivedVideo {
            if let width = video.width, let height = video.height { parts.append("\(width)×\(height)") }
            if let codec = video.codec { parts.append(codec) }
            if let bitrate = video.bitrate { parts.append("\(Int(bitrate / 1_000)) kbit/s") }
        }
        if let roundTrip = figures.roundTrip { parts.append("\(Int((roundTrip * 1_000).rounded())) ms") }
        return parts.joined(separator: "  ·  ")
    }
}
