package import NIOCore

/// A timer for the next deadline of a value without a clock. Used on its event loop.
package final class LoopTimer {
    private let loop: any EventLoop
    private var deadline: NIODeadline?
    private var task: Scheduled<Void>?

    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Sets the timer, in place of what it was set to. Does nothing if it is set to that deadline already.
    ///
    /// - Parameters:
    ///   - deadline: `nil` for none. If it has passed, the timer fires as soon as the event loop is free.
    ///   - action: Called once, after which the timer may be set to the same deadline again. Released if the timer is set anew.
    package func set(to deadline: NIODeadline?, _ action: @escaping () -> Void) {
        guard deadline != self.deadline else { return }
        cancel()
        guard let deadline else { return }
        self.deadline = deadline
        // Not in the past, to which the clock of a test would go back.
        task = loop.assumeIsolated().scheduleTask(deadline: max(deadline, loop.now)) { [self] in
            (self.deadline, task) = (nil, nil)
            action()
        }
    }

    package func cancel() {
        task?.cancel()
        (deadline, task) = (nil, nil)
    }
}
