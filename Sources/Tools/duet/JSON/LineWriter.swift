import Foundation
import Synchronization

/// Writes lines to a file descriptor, each as soon as it comes, on a thread of its own.
///
/// A thread, because a reader that does not read blocks the writer, and must not stop the connection with it. Who has much
/// to say asks ``waitForRoom()`` first.
final class LineWriter: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isWriting = false
        var isBroken = false
        var isFinished = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        var hasRoom: Bool { isBroken || pending.count < LineWriter.limit }
    }

    /// Unwritten bytes from which on ``waitForRoom()`` waits.
    static let limit = 1 << 20

    private let descriptor: Int32
    private let onBreak: @Sendable () -> Void
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Parameter onBreak: Called once when nobody reads any more.
    init(_ descriptor: Int32, onBreak: @escaping @Sendable () -> Void = {}) {
        self.descriptor = descriptor
        self.onBreak = onBreak
        Thread.detachNewThread { [self] in
            while writePending() { wakeUp.wait() }
        }
    }

    func write(_ line: JSONValue) {
        write(bytes: line.line)
    }

    /// - Parameter bytes: One or more whole lines.
    func write(bytes: [UInt8]) {
        let isFirst = state.withLock { state in
            guard !state.isBroken, !state.isFinished else { return false }
            defer { state.pending.append(contentsOf: bytes) }
            return state.pending.isEmpty
        }
        if isFirst { wakeUp.signal() }
    }

    /// Whether no more than ``limit`` bytes are unwritten.
    var hasRoom: Bool { state.withLock { $0.hasRoom } }

    /// Waits while more than ``limit`` bytes are unwritten.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if !state.hasRoom { state.waiters.append(continuation) }
                return state.hasRoom
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Takes no more lines, waits until all are written, but no longer than `limit`, and ends the thread.
    func finish(within limit: Duration) async {
        state.withLock { $0.isFinished = true }
        wakeUp.signal()
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline, !isIdle {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private var isIdle: Bool {
        state.withLock { $0.isBroken || ($0.pending.isEmpty && !$0.isWriting) }
    }

    /// Writes what there is; returns whether there can be more.
    private func writePending() -> Bool {
        while true {
            let (bytes, waiters) = state.withLock { state in
                let bytes = state.pending
                state.pending = []
                state.isWriting = !bytes.isEmpty
                defer { state.waiters = [] }
                return (bytes, state.waiters)
            }
            for waiter in waiters { waiter.resume() }
            if bytes.isEmpty { return state.withLock { !$0.isFinished && !$0.isBroken } }
            guard writeAll(bytes) else {
                let waiters = state.withLock { state in
                    state.isBroken = true
                    state.pending = []
                    defer { state.waiters = [] }
                    return state.waiters
                }
                for waiter in waiters { waiter.resume() }
                onBreak()
                return false
            }
        }
    }

    private func writeAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
                    systemWrite(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0 {
                    if errno == EINTR { continue }
                    if errno == EAGAIN, waitUntilWritable() { continue }
                    return false
                }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// For a descriptor that somebody else has set to non-blocking, such as a shared terminal.
    private func waitUntilWritable() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, -1) >= 0 || errno == EINTR
    }
}

/// The system call, whose name ``LineWriter`` uses for lines.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
