import Dispatch
import Foundation
import Synchronization

/// Turns the signals that end a process into calls.
package enum TerminationSignals {
    /// Retained for the lifetime of the process, since a released source is inactive.
    private static let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Calls `handle` at each SIGINT and SIGTERM, and keeps SIGPIPE from ending the process.
    package static func onTermination(_ handle: @escaping @Sendable () -> Void) {
        // Then a write to a closed pipe fails with EPIPE.
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] { on(number, handle) }
    }

    /// Calls `handle` at each SIGHUP, which then no longer ends the process.
    package static func onHangUp(_ handle: @escaping @Sendable () -> Void) {
        on(SIGHUP, handle)
    }

    private static func on(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
        // The default action would end the process first.
        signal(number, SIG_IGN)
        sources.withLock { sources in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handle)
            source.activate()
            sources.append(source)
        }
    }
}
