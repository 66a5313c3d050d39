@testable import RTCSignaling

/// An exchange whose answers come later, as with a log: with the next input of anybody else, or after ten milliseconds.
final class LateExchange: CallExchange {
    private let memory = MemoryExchange(limits: ExchangeLimits())
    private var late: [ExchangeOutput] = []
    private var outputs: [ExchangeOutput] = []
    private var author: ConnectionID?
    private var release: Duration?

    let saysCosts = true
    var statistics: ExchangeStatistics { memory.statistics }
    var nextDeadline: Duration? { release ?? memory.nextDeadline }

    func start(hasOutput: @escaping @Sendable () -> Void) { memory.start(hasOutput: hasOutput) }

    func handle(_ input: ExchangeInput, at now: Duration) {
        guard case .message(let connection, _) = input else {
            releaseAll()
            memory.handle(input, at: now)
            while let output = memory.nextOutput() { outputs.append(output) }
            return
        }
        if author != connection { releaseAll() }
        author = connection
        release = now + .milliseconds(10)
        memory.handle(input, at: now)
        var (messages, bytes) = (0, 0)
        while let output = memory.nextOutput() {
            if case .send(_, let json) = output { (messages, bytes) = (messages + 1, bytes + json.count) }
            late.append(output)
        }
        late.append(.charge(connection, messages: messages, bytes: bytes, isSignIn: false))
    }

    private func releaseAll() {
        outputs += late
        (late, author, release) = ([], nil, nil)
    }

    func nextOutput() -> ExchangeOutput? { outputs.isEmpty ? nil : outputs.removeFirst() }
}
