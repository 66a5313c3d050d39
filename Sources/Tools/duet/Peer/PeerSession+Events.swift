import DuetShell
import Logging
import RTC
import RTCPeer
import RTCTransport

extension PeerSession {
    func handle(_ event: PeerConnection.Event) async {
        switch event {
        case .connectionStateChange(let state):
            await printState(state)
            if state == .connected { pumpAll() }
        case .iceGatheringStateChange(.complete): await releaseDescriptions()
        case .dataChannel(let channel): accept(channel)
        case .track(let transceiver, let streams): accept(transceiver, streams: streams)
        default: break
        }
    }

    /// Prints a state, unless it is the last one printed.
    func printState(_ state: ConnectionState) async {
        guard state != lastPrintedState else { return }
        lastPrintedState = state
        log.info("the connection is \(state.rawValue)")
        if state == .connected { exitStatus.succeed() }
        var members: JSONValue.Members = ["value": state.rawValue, "ms": millisecondsSinceStart.json(places: 1)]
        if state == .failed {
            let reason = await connection.failureReason
            members["reason"] = reason ?? "unknown"
        }
        output.write(.event("connectionState", members))
    }

    /// Milliseconds since the start of the first local description, or 0 before it.
    private var millisecondsSinceStart: Double {
        start.map { ($0.duration(to: .now)) / .milliseconds(1) } ?? 0
    }

    /// Prints statistics once a second, and the call's quality when it changes, until the task is cancelled.
    func printStatistics() async {
        let clock = ContinuousClock()
        let start = clock.now
        var next = start
        var meter = CallQualityMeter()
        while true {
            next += .seconds(1)
            guard (try? await clock.sleep(until: next)) != nil else { return }
            await output.waitForRoom()
            let report = await connection.getStats()
            output.write(bytes: report.line)
            if let quality = meter.update(report, at: start.duration(to: clock.now)) { output.write(quality.event) }
        }
    }
}
