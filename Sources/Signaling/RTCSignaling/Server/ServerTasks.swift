internal import NIOCore
internal import Synchronization

/// The tasks of a server that call an app's code, and the way of all other threads to its event loop: nothing may be scheduled there
/// once it is shut down.
final class ServerTasks: Sendable {
    private struct State {
        var isClosed = false
        var lastNumber = 0
        var tasks: [Int: (purpose: Purpose, task: Task<Void, Never>)] = [:]
        /// Those who wait until there are no tasks.
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    /// What a task is for.
    enum Purpose {
        /// A client, who is gone when the server ends.
        case client
        /// Somebody who may be reached after that, too.
        case push
    }

    private let loop: any EventLoop
    private let state = Mutex(State())
    /// How long tasks that were cancelled are awaited.
    private static let patience = Duration.seconds(1)

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// The number of tasks that run.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Uses the event loop, unless it is or will be shut down.
    ///
    /// - Returns: `nil` if it is.
    @discardableResult
    func enter<Result>(_ body: (any EventLoop) -> Result) -> Result? {
        state.withLock { $0.isClosed ? nil : body(loop) }
    }

    /// Begins a task, unless the server has ended.
    ///
    /// - Parameter then: Called on the event loop with the result, unless the server has ended meanwhile.
    func run<Result: Sendable>(
        for purpose: Purpose, _ work: @escaping @Sendable () async -> Result,
        then: @escaping @Sendable (Result) -> Void
    ) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task {
                let result = await work()
                self.finished(number) { then(result) }
            }
            state.tasks[number] = (purpose, task)
        }
    }

    private func finished(_ number: Int, _ then: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { state -> [AsyncStream<Never>.Continuation] in
            if !state.isClosed { loop.execute(then) }
            state.tasks[number] = nil
            guard state.tasks.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits for the end of all tasks. Nothing is scheduled on the event loop afterwards, by tasks that go on nevertheless neither.
    ///
    /// - Parameters:
    ///   - grace: How long those have that are for nobody's client; then they are cancelled, too.
    ///   - last: What the event loop does last, once, however often and from wherever the end is called.
    func end(within grace: Duration, last: @escaping @Sendable () -> Void) async {
        cancel { $0 == .client }
        await wait(atMost: grace)
        cancel { _ in true }
        await wait(atMost: Self.patience)
        let end = state.withLock { state -> EventLoopFuture<Void>? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return loop.submit(last)
        }
        try? await end?.get()
    }

    private func cancel(_ isMeant: (Purpose) -> Bool) {
        for (purpose, task) in state.withLock({ Array($0.tasks.values) }) where isMeant(purpose) { task.cancel() }
    }

    private func wait(atMost limit: Duration) async {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        let isOver = state.withLock { state in
            if !state.tasks.isEmpty { state.waiting.append(continuation) }
            return state.tasks.isEmpty
        }
        guard !isOver else { return }
        let timer = Task {
            try? await Task.sleep(for: limit)
            continuation.finish()
        }
        // In a task of its own: in a cancelled one, as of a service that ends, a sequence ends at once.
        await Task { for await _ in end {} }.value
        timer.cancel()
    }
}
