internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The file of a trace: whole lines are appended on a queue of its own, so that nobody waits for the disk.
///
/// When the file has reached half of ``limit``, it takes the place of `PATH.1`, and a new one begins: what a trace takes on
/// the disk is bounded, and the newest part is there.
final class TraceFile: Sendable {
    /// Bytes of both files together, at most.
    static let limit = 16 << 20
    /// Bytes that may wait for the disk; what is more is left out.
    static let backlogLimit = 1 << 20

    private struct State {
        var descriptor: CInt
        var size: Int
    }

    private let path: String
    private let limit: Int
    private let state: Mutex<State>
    private let backlog = Atomic(0)
    private let queue = DispatchQueue(label: "duet.rtc.trace", qos: .utility)

    /// Opens the file, or makes it. What an earlier connection has written stays.
    ///
    /// - Throws: `invalidArgument` if it cannot be written.
    static func open(_ path: String, limit: Int = TraceFile.limit) throws(RTCError) -> TraceFile {
        let descriptor = openPrivateFile(path)
        guard descriptor >= 0 else {
            throw RTCError(
                code: .invalidArgument,
                message: "The trace \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        let end = lseek(descriptor, 0, SEEK_END)
        return TraceFile(path, descriptor: descriptor, size: Int(max(end, 0)), limit: limit)
    }

    private init(_ path: String, descriptor: CInt, size: Int, limit: Int) {
        self.path = path
        self.limit = limit
        state = Mutex(State(descriptor: descriptor, size: size))
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Appends lines, soon. The file stays open until they are written.
    ///
    /// - Returns: False if too much waits already: these are left out.
    func append(_ lines: [UInt8]) -> Bool {
        guard !lines.isEmpty else { return true }
        guard backlog.load(ordering: .relaxed) + lines.count <= Self.backlogLimit else { return false }
        backlog.add(lines.count, ordering: .relaxed)
        queue.async { [self] in
            state.withLock { write(lines, &$0) }
            backlog.subtract(lines.count, ordering: .relaxed)
        }
        return true
    }

    /// Waits until everything is written.
    func flush() { queue.sync {} }

    private func write(_ lines: [UInt8], _ state: inout State) {
        if state.size + lines.count > limit / 2, state.size > 0 { begin(&state) }
        guard state.descriptor >= 0 else { return }
        var start = 0
        while start < lines.count {
            let written = lines.withUnsafeBytes { bytes in
                writeDescriptor(state.descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if written > 0 {
                start += written
            } else if errno != EINTR {
                // A full disk ends the trace and nothing else.
                _ = close(state.descriptor)
                state.descriptor = -1
                return
            }
        }
        state.size += lines.count
    }

    /// Begins the file anew, and keeps the one before.
    private func begin(_ state: inout State) {
        guard state.descriptor >= 0 else { return }
        _ = close(state.descriptor)
        _ = rename(path, path + ".1")
        state.descriptor = openPrivateFile(path)
        state.size = 0
    }
}

private func writeDescriptor(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// - Returns: The descriptor of a file that its owner alone can read, at its end; or -1 with `errno` set.
private func openPrivateFile(_ path: String) -> CInt {
    open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
}
