import Foundation
import Synchronization

/// The exit status of a peer, and the time limit for the end of the process.
package final class ExitStatus: Sendable {
    private let status = Atomic<Int32>(1)

    package init() {}

    /// 0 once the peers have been connected, until then 1.
    package var value: Int32 { status.load(ordering: .relaxed) }

    package func succeed() {
        status.store(0, ordering: .relaxed)
    }

    /// Ends the process with this status when the time is over, from a thread that nothing else can block.
    package func exit(after limit: Duration) {
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: limit / .seconds(1))
            _exit(value)
        }
    }
}

/// Waits for `work`, but no longer than `limit`; after that it continues unobserved.
package func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    Task {
        await work()
        continuation.finish()
    }
    let timer = Task {
        try await Task.sleep(for: limit)
        continuation.finish()
    }
    for await _ in ends {}
    timer.cancel()
}
