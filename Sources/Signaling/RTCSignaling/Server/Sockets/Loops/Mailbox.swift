internal import NIOCore
internal import Synchronization

/// What other loops tell the loop of the server's state, in order.
///
/// A loop runs tasks until there are none before it accepts connections, reads and writes. So it is not given a task for each letter: it is
/// called once, and then takes all letters that have come.
final class Mailbox: Sendable {
    private struct State {
        var letters: [@Sendable () -> Void] = []
        /// Whether the loop was called, and has not finished reading.
        var isAnnounced = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Adds a letter, unless the mailbox is closed.
    ///
    /// - Returns: Whether the loop is to be called.
    func put(_ letter: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.letters.append(letter)
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
    }

    /// Takes the letters out. The loop is not called for further ones before ``hasMore()`` was asked.
    func takeAll() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.isAnnounced = true
            defer { state.letters = [] }
            return state.letters
        }
    }

    /// Ends the reading.
    ///
    /// - Returns: Whether letters have come meanwhile, for which the loop is not called: it has to read again.
    func hasMore() -> Bool {
        state.withLock { state in
            state.isAnnounced = !state.letters.isEmpty
            return state.isAnnounced
        }
    }

    /// Discards all letters, and refuses further ones: they hold connections, which hold the mailbox.
    func close() {
        // They are released after the lock: what ends with them may write, too.
        _ = state.withLock { state in
            state.isClosed = true
            defer { state.letters = [] }
            return state.letters
        }
    }
}

/// The way of other loops to the server's state.
struct WayHome: Sendable {
    let core: NIOLoopBound<ServerCore>
    let tasks: ServerTasks
    let mail: Mailbox

    /// Has something done on the loop of the state, after what was told before. Nothing is done after the server's end.
    func tell(_ letter: @escaping @Sendable () -> Void) {
        guard mail.put(letter) else { return }
        let core = core
        tasks.enter { $0.execute { core.value.scheduler.wake() } }
    }
}
