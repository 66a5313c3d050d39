import NIOCore
import NIOPosix
import RTCWire
import Testing

@testable import RTC

@Suite("Interface monitor")
struct InterfaceMonitorTests {
    @Test("Observing starts and stops without a word, and repeatedly")
    func startsAndStops() async throws {
        try await onEventLoop { _, loop in
            for _ in 0..<50 {
                let observation = InterfaceMonitor.shared.observe(on: loop) { _ in }
                observation.cancel()
                observation.cancel()
            }
        }
    }
}
