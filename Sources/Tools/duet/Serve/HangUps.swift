import DuetShell

/// The SIGHUPs that have arrived, from as early as possible: by default, one ends the process.
struct HangUps: Sendable {
    let signals: AsyncStream<Void>

    init() {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        TerminationSignals.onHangUp { signal.yield() }
    }
}
