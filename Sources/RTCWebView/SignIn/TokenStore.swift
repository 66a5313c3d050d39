internal import Synchronization

/// Where tokens outlive a process: the Keychain on Apple's systems, the Secret Service on Linux, or this process's
/// memory.
public protocol TokenStore: Sendable {
    /// - Throws: ``OAuthError`` `noTokenStore`, `tokenStoreFailed`, here and below.
    func read(_ key: TokenStoreKey) async throws -> [UInt8]?
    func write(_ bytes: [UInt8], for key: TokenStoreKey) async throws
    /// Does nothing where there is nothing.
    func remove(_ key: TokenStoreKey) async throws
    /// For whom there is something.
    func keys() async throws -> [TokenStoreKey]
    /// Runs `body` while no other process does the same for this key. Two that refreshed by the same token would end
    /// the session.
    func exclusively<R: Sendable>(
        _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R
}

extension TokenStore {
    public func exclusively<R: Sendable>(
        _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        try await body()
    }
}

/// Whose tokens: one session per issuer and client.
public struct TokenStoreKey: Sendable, Hashable {
    public let issuer: String
    public let clientID: String

    public init(issuer: String, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }
}

/// Keeps tokens as long as the process lives.
public final class MemoryTokenStore: TokenStore {
    private let entries = Mutex<[TokenStoreKey: [UInt8]]>([:])

    public init() {}

    public func read(_ key: TokenStoreKey) -> [UInt8]? { entries.withLock { $0[key] } }
    public func write(_ bytes: [UInt8], for key: TokenStoreKey) { entries.withLock { $0[key] = bytes } }
    public func remove(_ key: TokenStoreKey) { entries.withLock { $0[key] = nil } }
    public func keys() -> [TokenStoreKey] { entries.withLock { Array($0.keys) } }
}
