internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The file of a trace. Appends whole lines on a queue of its own, so that callers do not wait for the disk.
///
/// When the file reaches half of ``limit``, it is renamed to `PATH.1`, and a new one is started: the size on disk is
/// bounded, and the newest part is kept. Several connections, also of other processes, may write to one file: a file
/// lock serializes them.
final class TraceFile: Sendable {
    /// The limit on both files together, in bytes.
    static let limit = 16 << 20
    /// The most bytes that wait for the disk; more are dropped.
    static let backlogLimit = 1 << 20

    private let path: String
    private let limit: Int
    /// -1 once the trace has ended.
    private let descriptor: Mutex<CInt>
    private let backlog = Atomic(0)
    private let queue = DispatchQueue(label: "duet.rtc.trace", qos: .utility)

    /// Opens the file, or creates it. Existing lines are kept.
    ///
    /// - Throws: `invalidArgument` if it cannot be written, or is no ordinary file of the user's.
    static func open(_ path: String, limit: Int = TraceFile.limit) throws(RTCError) -> TraceFile {
        TraceFile(path, descriptor: try openPrivateFile(path, as: "trace"), limit: limit)
    }

    /// - Parameter descriptor: The descriptor of the file at `path`.
    init(_ path: String, descriptor: CInt, limit: Int = TraceFile.limit) {
        self.path = path
        self.limit = limit
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Appends lines asynchronously. The file stays open until they are written.
    ///
    /// - Returns: `false` if too much is pending, and these are dropped.
    func append(_ lines: [UInt8]) -> Bool {
        guard !lines.isEmpty else { return true }
        guard backlog.load(ordering: .relaxed) + lines.count <= Self.backlogLimit else { return false }
        backlog.add(lines.count, ordering: .relaxed)
        queue.async { [self] in
            descriptor.withLock { write(lines, &$0) }
            backlog.subtract(lines.count, ordering: .relaxed)
        }
        return true
    }

    /// Waits until everything is written.
    func flush() { queue.sync {} }

    private func write(_ lines: [UInt8], _ descriptor: inout CInt) {
        guard lock(&descriptor) else { return }
        let size = status(descriptor).map { Int($0.st_size) } ?? 0
        if size > 0, size + lines.count > limit / 2, !begin(&descriptor) { return }
        // A full disk ends only the trace.
        guard writeAll(lines, to: descriptor) else { return replace(&descriptor, by: -1) }
        _ = flock(descriptor, LOCK_UN)
    }

    /// Locks the file at the path. If another connection has started a new file, or it was removed, the file is opened
    /// again.
    ///
    /// - Returns: `false` on failure, which ends the trace.
    private func lock(_ descriptor: inout CInt) -> Bool {
        for _ in 0..<8 where descriptor >= 0 {
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            var there = stat()
            if let ours = status(descriptor), lstat(path, &there) == 0, ours.st_dev == there.st_dev,
                ours.st_ino == there.st_ino
            {
                return true
            }
            replace(&descriptor, by: (try? openPrivateFile(path, as: "trace")) ?? -1)
        }
        replace(&descriptor, by: -1)
        return false
    }

    /// Starts a new file and keeps the locked one as the previous one; truncates it if it cannot be renamed.
    ///
    /// - Returns: Whether there is a locked file.
    private func begin(_ descriptor: inout CInt) -> Bool {
        guard rename(path, path + ".1") == 0 else {
            if ftruncate(descriptor, 0) == 0 { return true }
            replace(&descriptor, by: -1)
            return false
        }
        // Connections waiting for the lock find the new file at the path.
        replace(&descriptor, by: (try? openPrivateFile(path, as: "trace")) ?? -1)
        return lock(&descriptor)
    }

    /// Closes the file, which releases the lock.
    private func replace(_ descriptor: inout CInt, by new: CInt) {
        if descriptor >= 0 { _ = close(descriptor) }
        descriptor = new
    }

    private func status(_ descriptor: CInt) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
