internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What is known of one authorization server: its metadata and its keys, fetched when they are needed.
final class ServerKnowledge: Sendable {
    let issuer: Issuer
    private let isOpenID: Bool
    private let transport: any OAuthTransport
    private let now: @Sendable () -> UnixTime
    private let known = Mutex(Known())

    private struct Known {
        var metadata: ServerMetadata?
        var metadataExpiry = UnixTime(seconds: 0)
        var keys = KeySetCache()
    }

    /// Servers move their endpoints seldom, and say so in time. In seconds.
    private static let metadataLifetime: Int64 = 3_600

    init(
        _ issuer: Issuer, isOpenID: Bool, transport: any OAuthTransport, now: @escaping @Sendable () -> UnixTime
    ) {
        self.issuer = issuer
        self.isOpenID = isOpenID
        self.transport = transport
        self.now = now
    }

    /// The system's time.
    static let systemTime: @Sendable () -> UnixTime = {
        UnixTime(seconds: Int64(Date().timeIntervalSince1970))
    }

    func metadata() async throws -> ServerMetadata {
        let time = now()
        if let metadata = known.withLock({ $0.metadataExpiry > time ? $0.metadata : nil }) { return metadata }
        var discovery = Discovery(of: issuer, isOpenID: isOpenID)
        while let request = discovery.next() {
            guard let metadata = try discovery.handle(try await transport.send(request)) else { continue }
            known.withLock {
                $0.metadata = metadata
                $0.metadataExpiry = now() + Self.metadataLifetime
            }
            return metadata
        }
        throw OAuthError(.noMetadata, "there is no OpenID or OAuth server at \(issuer)")
    }

    /// Fetches the keys if there are none, so that they are there when a token comes. It does not matter whether it
    /// works.
    func prepareKeys() async {
        guard known.withLock({ $0.keys.keys == nil }), let metadata = try? await metadata() else { return }
        _ = try? await fetchKeys(metadata)
    }

    /// Calls `check` with the server's keys, and once more with fresh ones if the token's key is not among those that
    /// are known: servers change their keys.
    func withKeys<R>(_ metadata: ServerMetadata, _ check: (KeySet) throws -> R) async throws -> R {
        let cached = known.withLock { $0.keys.keys }
        guard let cached else { return try check(try await fetchKeys(metadata)) }
        do {
            return try check(cached)
        } catch let error as OAuthError where error.code == .keyUnknown || error.code == .badSignature {
            guard let fresh = try? await fetchKeys(metadata) else { throw error }
            return try check(fresh)
        }
    }

    private func fetchKeys(_ metadata: ServerMetadata) async throws -> KeySet {
        guard let address = metadata.keySetAddress else {
            throw OAuthError(.badMetadata, "\(issuer) does not say where its keys are")
        }
        let time = now()
        guard known.withLock({ $0.keys.mayFetch(now: time) }) else {
            throw OAuthError(.keyUnknown, "the keys of \(issuer) were fetched too often")
        }
        let response = try await transport.send(.get(address))
        guard response.status == 200 else {
            throw OAuthError(.badResponse, "\(issuer) answers with status \(response.status), not with its keys")
        }
        let keys = try KeySet(parsing: response.body, of: issuer)
        known.withLock { $0.keys.store(keys) }
        return keys
    }
}
