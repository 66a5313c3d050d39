internal import Dispatch

/// The actor on which the original kit ran, for an app's ``IsolatedSignalingServerConnection``. Nothing else here runs on it.
///
/// What is handed to it runs in the order in which it was handed over.
@globalActor
public actor WebRTCActor {
    public static let shared = WebRTCActor()

    private nonisolated let executor = SerialQueueExecutor(label: "duet.webrtcactor")

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Runs jobs one after the other, whatever their priorities, as an actor of the standard library does not promise.
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
