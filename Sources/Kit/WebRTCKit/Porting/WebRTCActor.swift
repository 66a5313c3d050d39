internal import Dispatch

/// The global actor of the original kit, for an app's ``IsolatedSignalingServerConnection``. Nothing else runs on it.
///
/// Jobs run in the order in which they are enqueued.
@globalActor
public actor WebRTCActor {
    public static let shared = WebRTCActor()

    private nonisolated let executor = SerialQueueExecutor(label: "duet.webrtcactor")

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Runs jobs in order, whatever their priorities, which default actors do not guarantee.
private final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
