internal import Synchronization

/// Calls a controller's delegate, one call after the other, on a task of its own: a delegate that takes its time holds up
/// nothing but what it is told next.
final class DelegateCourier: Sendable {
    typealias Message = @Sendable (any CallManagerDelegate) -> Void

    private enum Job: Sendable {
        case tell(Message)
        case prepare(@Sendable () async -> Message)
    }

    private final class Recipient: Sendable {
        private struct Reference {
            weak var delegate: (any CallManagerDelegate)?
        }

        private let reference = Mutex(Reference())

        var delegate: (any CallManagerDelegate)? {
            get { reference.withLock { $0.delegate } }
            set { reference.withLock { $0.delegate = newValue } }
        }
    }

    private let recipient = Recipient()
    // What waits is as much as happened: the other peer brings little of it about, and each piece of it is slow to make.
    private let jobs: AsyncStream<Job>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
        jobs = continuation
        Task { [recipient] in
            for await job in stream {
                switch job {
                case .tell(let message):
                    if let delegate = recipient.delegate { message(delegate) }
                case .prepare(let prepare):
                    let message = await prepare()
                    if let delegate = recipient.delegate { message(delegate) }
                }
            }
        }
    }

    deinit { jobs.finish() }

    func setDelegate(_ delegate: (any CallManagerDelegate)?) { recipient.delegate = delegate }

    /// Calls the delegate that there is when its turn has come.
    func tell(_ message: @escaping Message) { jobs.yield(.tell(message)) }

    /// Waits for what there is to tell, and tells nothing else before.
    func tell(_ prepare: @escaping @Sendable () async -> Message) { jobs.yield(.prepare(prepare)) }
}
