import Dispatch
import DuetShell
import Foundation
import Logging
import OAuth
import RTCSignaling
import Synchronization

/// A file with the push tokens of devices, which only its owner may read. It is replaced as a whole, on a queue of its own.
final class PushTokenFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "duet.push-tokens")
    /// The tokens that were there, until they are taken.
    private let earlier: Mutex<[StoredPushToken]>

    /// More than there can be tokens, in bytes.
    private static let longest = 128 * 1024 * 1024

    init(_ path: String) throws(Refusal) {
        self.path = path
        let tokens = try Self.read(path)
        // That it cannot be written later would be noticed too late.
        guard Self.replace(path, tokens) else { throw Refusal("--push-tokens: the file \(path) cannot be written") }
        earlier = Mutex(tokens)
    }

    /// Returns the tokens that were there, once: they may be many, and the server has them from then on.
    func takeTokens() -> [StoredPushToken] {
        earlier.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
    }

    private static func read(_ path: String) throws(Refusal) -> [StoredPushToken] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw Refusal("--push-tokens: the file \(path) cannot be read") }
            return []
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest,
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { throw Refusal("--push-tokens: the file \(path) cannot be read") }
        guard let tokens = try? JSONDecoder().decode([StoredPushToken].self, from: Data(text.utf8)) else {
            throw Refusal(
                "--push-tokens: the file \(path) is damaged; without it, phones ring once their app was open again")
        }
        return tokens
    }

    /// Replaces the file later.
    func write(_ tokens: [StoredPushToken]) {
        queue.async { [path] in
            guard !Self.replace(path, tokens) else { return }
            Logger(label: "duet.serve").error("the push tokens cannot be written to \(path)")
        }
    }

    /// Waits until the file is written.
    func flush() {
        queue.sync {}
    }

    private static func replace(_ path: String, _ tokens: [StoredPushToken]) -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(tokens) else { return false }
        return PrivateFile.replace(path, with: Array(data))
    }
}
