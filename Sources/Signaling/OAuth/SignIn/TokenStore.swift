internal import Synchronization

/// Stores tokens: the Keychain on Apple's platforms, the Secret Service on Linux, or memory.
public protocol TokenStore: Sendable {
    /// Returns the stored tokens; `nil` if there are none.
    ///
    /// - Throws: ``OAuthError`` `noTokenStore`, `tokenStoreFailed`, like all methods.
    func read(_ key: TokenStoreKey) async throws -> [UInt8]?
    func write(_ bytes: [UInt8], for key: TokenStoreKey) async throws
    /// Deletes the stored tokens. Does nothing if there are none.
    func remove(_ key: TokenStoreKey) async throws
    /// Returns the keys with stored tokens.
    func keys() async throws -> [TokenStoreKey]
    /// Runs `body` while nobody else does so for this key, in this process or another. Two refreshes with the same
    /// token would end the session, and a refresh must not undo a sign-out.
    func exclusively<R: Sendable>(
        _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R
}

extension TokenStore {
    /// Runs `body` at once: sufficient for a store that is used by one client of one process.
    public func exclusively<R: Sendable>(
        _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        try await body()
    }
}

/// The key of stored tokens: one session per issuer and client.
public struct TokenStoreKey: Sendable, Hashable {
    public let issuer: String
    public let clientID: String

    public init(issuer: String, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }
}

/// Stores tokens in memory.
public final class MemoryTokenStore: TokenStore {
    private let entries = Mutex<[TokenStoreKey: [UInt8]]>([:])
    private let storeQueue = TokenStoreQueue()

    public init() {}

    public func read(_ key: TokenStoreKey) -> [UInt8]? { entries.withLock { $0[key] } }
    public func write(_ bytes: [UInt8], for key: TokenStoreKey) { entries.withLock { $0[key] = bytes } }
    public func remove(_ key: TokenStoreKey) { entries.withLock { $0[key] = nil } }
    public func keys() -> [TokenStoreKey] { entries.withLock { Array($0.keys) } }

    public func exclusively<R: Sendable>(
        _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        try await storeQueue.take(key, body)
    }
}

/// Lets the users of a store in this process take turns, in the order of their requests.
final class TokenStoreQueue: Sendable {
    /// The waiters behind the one whose turn it is; no entry if there is none.
    private let lines = Mutex<[TokenStoreKey: [CheckedContinuation<Void, Never>]]>([:])

    func take<R: Sendable>(_ key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
        await withCheckedContinuation { continuation in
            let isFree = lines.withLock { lines in
                guard lines[key] == nil else {
                    lines[key]?.append(continuation)
                    return false
                }
                lines[key] = []
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { next(key) }
        return try await body()
    }

    private func next(_ key: TokenStoreKey) {
        let waiting = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
            guard let line = lines[key], !line.isEmpty else {
                lines[key] = nil
                return nil
            }
            return lines[key]?.removeFirst()
        }
        waiting?.resume()
    }
}
