import Dispatch
import DuetShell
import Foundation
import RTCSignaling
import Synchronization

/// A file to which a server's access log is appended, on a queue of its own: a slow disk does not delay the server.
final class AccessLogFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "duet.access-log")
    private let output: Mutex<Output>
    private let waiting = Mutex(Waiting())

    private struct Output {
        let descriptor: Int32
        /// Whether the last line was cut, since the disk was full.
        var isCut = false
        /// The number of lines that could not be written.
        var lost = 0
    }

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
        output = Mutex(Output(descriptor: file))
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
            append(record.json, lost: lost)
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
            let old = output.withLock { output -> Int32 in
                defer { output = Output(descriptor: file, lost: output.lost) }
                return output.descriptor
            }
            close(old)
        }
    }

    /// Waits until all lines are written.
    func flush() {
        queue.sync {}
    }

    /// Appends a line, after one that says how many were lost since the last.
    ///
    /// - Parameter lost: The number of lines for which there was no room in the queue.
    private func append(_ line: String, lost: Int) {
        output.withLock { output in
            output.lost += lost
            if output.lost > 0 {
                guard append(#"{"event":"lost","count":\#(output.lost)}"#, to: &output) else {
                    output.lost += 1
                    return
                }
                output.lost = 0
            }
            if !append(line, to: &output) { output.lost += 1 }
        }
    }

    /// - Returns: Whether the whole line is written; not on a full disk.
    private func append(_ line: String, to output: inout Output) -> Bool {
        // What remains of a line that was cut shall not spoil the next.
        let bytes = Array(((output.isCut ? "\n" : "") + line + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Foundation.write(output.descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if start > 0 { output.isCut = true }
                return false
            }
            start += count
        }
        output.isCut = false
        return true
    }
}
