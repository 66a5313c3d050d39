import Dispatch
import DuetShell
import Foundation
import RTCSignaling
import Synchronization

/// A file to which a server's access log is appended, on a queue of its own: a slow disk does not delay the server.
final class AccessLogFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "duet.access-log")
    private let descriptor: Mutex<Int32>
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var count = 0
        /// The number of lines for which there was no room.
        var lost = 0
    }

    /// The maximum number of lines that wait for the disk.
    private static let most = 10_000

    /// - Parameter path: `-` for standard output.
    init(_ path: String) throws(Refusal) {
        self.path = path
        guard let file = Self.open(path) else { throw Refusal("--access-log: the file \(path) cannot be written") }
        descriptor = Mutex(file)
    }

    private static func open(_ path: String) -> Int32? {
        guard path != "-" else { return STDOUT_FILENO }
        let file = Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
        return file >= 0 ? file : nil
    }

    /// Appends a line later; drops it if too many wait.
    func write(_ record: AccessRecord) {
        let lost = waiting.withLock { waiting -> Int? in
            guard waiting.count < Self.most else {
                waiting.lost += 1
                return nil
            }
            waiting.count += 1
            defer { waiting.lost = 0 }
            return waiting.lost
        }
        guard let lost else { return }
        queue.async { [self] in
            if lost > 0 { append(#"{"event":"lost","count":\#(lost)}"#) }
            append(record.json)
            waiting.withLock { $0.count -= 1 }
        }
    }

    /// Opens the file again, after it was renamed.
    ///
    /// - Throws: If it cannot be written; the old one remains.
    func reopen() throws(Refusal) {
        guard path != "-" else { return }
        guard let file = Self.open(path) else { throw Refusal("--access-log: the file \(path) cannot be written") }
        queue.async { [self] in
            let old = descriptor.withLock { descriptor -> Int32 in
                defer { descriptor = file }
                return descriptor
            }
            close(old)
        }
    }

    /// Waits until all lines are written.
    func flush() {
        queue.sync {}
    }

    private func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let file = descriptor.withLock { $0 }
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            start += count
        }
    }
}
