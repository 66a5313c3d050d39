import Foundation
import Synchronization

/// Writes lines to a file descriptor, immediately and on a thread of its own.
///
/// A reader that does not read blocks the thread, but must not block the connection. Callers with much output await
/// ``waitForRoom()`` first.
package final class LineWriter: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isWriting = false
        var isBroken = false
        var isFinished = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        var hasRoom: Bool { isBroken || pending.count < LineWriter.limit }
    }

    /// The number of unwritten bytes above which ``waitForRoom()`` waits.
    static let limit = 1 << 20

    private let descriptor: Int32
    private let onBreak: @Sendable () -> Void
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Parameter onBreak: Called once when the reader has closed its end.
    package init(_ descriptor: Int32, onBreak: @escaping @Sendable () -> Void = {}) {
        self.descriptor = descriptor
        self.onBreak = onBreak
        Thread.detachNewThread { [self] in
            while writePending() { wakeUp.wait() }
        }
    }

    package func write(_ line: JSONValue) {
        write(bytes: line.line)
    }

    /// - Parameter bytes: One or more complete lines.
    package func write(bytes: [UInt8]) {
        let isFirst = state.withLock { state in
            guard !state.isBroken, !state.isFinished else { return false }
            defer { state.pending.append(contentsOf: bytes) }
            return state.pending.isEmpty
        }
        if isFirst { wakeUp.signal() }
    }

    /// Whether no more than ``limit`` bytes are unwritten.
    package var hasRoom: Bool { state.withLock { $0.hasRoom } }

    /// Waits while more than ``limit`` bytes are unwritten.
    package func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if !state.hasRoom { state.waiters.append(continuation) }
                return state.hasRoom
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Accepts no more lines, waits until all are written, but no longer than `limit`, and ends the thread.
    package func finish(within limit: Duration) async {
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

    /// Writes pending lines; returns whether there may be more.
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

    /// For a descriptor that another process has set to non-blocking, such as a shared terminal.
    private func waitUntilWritable() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, -1) >= 0 || errno == EINTR
    }
}

/// The system call, whose name ``LineWriter`` uses for lines.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
