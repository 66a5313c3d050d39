import Dispatch
import Foundation
import Synchronization

/// Turns the signals that end a process into calls.
///
/// A signal counts from the moment on in which the function that asks for it returns: its handler writes the signal's number into a pipe,
/// which waits for the queue that reads it. (A signal that is ignored until a dispatch source observes it would be lost on a
/// busy machine.) Programs that are started do not inherit the handlers.
package enum TerminationSignals {
    private static let handlers = Mutex<[(number: Int32, handle: @Sendable () -> Void)]>([])
    /// Retained for the lifetime of the process, since a released source is inactive.
    private static let source = Mutex<(any DispatchSourceRead)?>(nil)

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
        handlers.withLock { $0.append((number, handle)) }
        openPipe()
        signal(number, noteSignal)
    }

    private static func openPipe() {
        source.withLock { source in
            guard source == nil else { return }
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0, "no descriptor is left for a pipe")
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            writingEnd = ends[1]
            let reading = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
            let descriptor = ends[0]
            reading.setEventHandler { deliver(from: descriptor) }
            reading.activate()
            source = reading
        }
    }

    private static func deliver(from descriptor: Int32) {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = max(read(descriptor, &numbers, numbers.count), 0)
        for number in numbers[..<count] {
            let called = handlers.withLock { $0.filter { $0.number == Int32(number) } }
            for one in called { one.handle() }
        }
    }
}

/// The writing end of the pipe. Set once, before the first handler is installed.
nonisolated(unsafe) private var writingEnd: Int32 = -1

/// The handler: nothing here may lock or allocate.
private func noteSignal(_ number: Int32) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    // A full pipe has more signals than anybody has to know of.
    _ = write(writingEnd, &byte, 1)
    errno = before
}
