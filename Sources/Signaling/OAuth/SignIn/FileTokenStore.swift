internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Stores tokens in a file that only its owner may read, for a program without access to the system's store (``TokenStorageLocation``).
///
/// The file is replaced atomically. A file that others may read, or that belongs to somebody else, is ignored.
package struct FileTokenStore: TokenStore {
    package let path: String
    private static let storeQueue = TokenStoreQueue()
    /// The maximum size that is read.
    private static let limit = 1 << 20

    /// - Parameter path: Its folders are created for the owner alone.
    package init(path: String) { self.path = path }

    /// The file of a program: in the macOS folder for it, or below `XDG_DATA_HOME`.
    ///
    /// - Throws: ``OAuthError`` `noTokenStore` in a session without a home folder.
    package init(program: String) throws(OAuthError) {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let folder = variable("XDG_DATA_HOME") ?? variable("HOME").map({ $0 + "/.local/share" }) else {
            throw OAuthError(.noTokenStore, "there is no home to keep tokens in: set HOME")
        }
        self.init(path: "\(folder)/\(program)/tokens")
    }

    private struct Entry: Codable {
        var issuer: String
        var client: String
        var tokens: String

        var key: TokenStoreKey { TokenStoreKey(issuer: issuer, clientID: client) }
    }

    package func read(_ key: TokenStoreKey) throws -> [UInt8]? {
        try entries().first { $0.key == key }.map { Array($0.tokens.utf8) }
    }

    package func write(_ bytes: [UInt8], for key: TokenStoreKey) throws {
        try change { entries in
            entries.removeAll { $0.key == key }
            let tokens = String(decoding: bytes, as: UTF8.self)
            entries.append(Entry(issuer: key.issuer, client: key.clientID, tokens: tokens))
        }
    }

    package func remove(_ key: TokenStoreKey) throws {
        try change { entries in entries.removeAll { $0.key == key } }
    }

    package func keys() throws -> [TokenStoreKey] { try entries().map(\.key) }

    /// Takes turns by a lock on a file beside it, which all processes of the user share. It is released when the process ends in
    /// any way.
    package func exclusively<R: Sendable>(
        _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        try await Self.storeQueue.take(key) {
            let file = try openLock("turn")
            defer { close(file) }
            let began = ContinuousClock.now
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                // Without a turn, a refresh token could be used twice, which ends the session.
                guard began.duration(to: .now) < .seconds(75) else {
                    throw OAuthError(
                        .tokenStoreFailed, "another program of yours keeps the tokens to itself: does one hang?")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            return try await body()
        }
    }

    // MARK: The file

    private func entries() throws(OAuthError) -> [Entry] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return [] }
            throw failed("cannot be read")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw failed("is no file") }
        guard status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
            throw OAuthError(.tokenStoreFailed, "others may read \(path): remove it, and sign in again")
        }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress.map { $0 + count }, $0.count - count, off_t(count))
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            count += more
        }
        do { return try JSONDecoder().decode([Entry].self, from: Data(bytes[..<count])) } catch {
            throw failed("is damaged: remove it, and sign in again")
        }
    }

    /// Reads, changes and writes the file under a lock.
    private func change(_ body: (inout [Entry]) -> Void) throws {
        let lock = try openLock("lock")
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failed("cannot be locked") }
        }
        var entries = try entries()
        body(&entries)
        let bytes = try JSONEncoder().encode(entries)
        guard PrivateFile.replace(path, with: Array(bytes)) else { throw failed("cannot be written") }
    }

    private func openLock(_ name: String) throws(OAuthError) -> CInt {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
        let file = open("\(path).\(name)", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failed("cannot be locked") }
        return file
    }

    private func failed(_ what: String) -> OAuthError {
        OAuthError(.tokenStoreFailed, "the file of the tokens, \(path), \(what)")
    }
}
