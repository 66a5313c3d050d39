internal import RTCCredentials
internal import RTCCrypto
internal import Synchronization

/// The metadata and keys of one authorization server, fetched when needed.
final class ServerMetadataCache: Sendable {
    let issuer: Issuer
    /// The configured metadata of a server that publishes none.
    private let configured: ServerMetadata?
    private let isOpenID: Bool
    private let transport: any OAuthTransport
    private let now: @Sendable () -> UnixTime
    private let known = Mutex(Fetched())
    private let metadataFlight = SingleFlight<ServerMetadata>()
    private let keyFlight = SingleFlight<KeySet>()

    private struct Fetched {
        var metadata: ServerMetadata?
        var metadataFetched = UnixTime(seconds: 0)
        /// When the metadata expire.
        var metadataExpiry = UnixTime(seconds: 0)
        var keys = KeySetCache()
    }

    /// The cache lifetime in seconds: endpoints change rarely, and with notice.
    private static let metadataLifetime: Int64 = 3_600
    /// The time for which cached metadata are used while the server cannot be reached, in seconds.
    private static let longest: Int64 = 86_400
    private static let pause: Int64 = 60

    init(
        _ issuer: Issuer, configured: ServerMetadata? = nil, isOpenID: Bool, transport: any OAuthTransport,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.issuer = issuer
        self.configured = configured
        self.isOpenID = isOpenID
        self.transport = transport
        self.now = now
    }

    func metadata() async throws -> ServerMetadata {
        if let configured { return configured }
        let time = now()
        let before = known.withLock { $0 }
        if let metadata = before.metadata, time < before.metadataExpiry { return metadata }
        do {
            return try await metadataFlight.run { try await self.fetchMetadata() }
        } catch let error as OAuthError where error.code.isTransient {
            guard let metadata = before.metadata, time < before.metadataFetched + Self.longest else { throw error }
            // So that later callers do not wait for the same timeout.
            known.withLock { $0.metadataExpiry = time + Self.pause }
            return metadata
        }
    }

    private func fetchMetadata() async throws -> ServerMetadata {
        var discovery = Discovery(of: issuer, isOpenID: isOpenID)
        while let request = discovery.next() {
            guard let metadata = try discovery.handle(try await transport.send(request)) else { continue }
            known.withLock {
                $0.metadata = metadata
                $0.metadataFetched = now()
                $0.metadataExpiry = now() + Self.metadataLifetime
            }
            return metadata
        }
        throw OAuthError(.noMetadata, "there is no OpenID or OAuth server at \(issuer)")
    }

    /// Fetches the keys if there are none, before a token arrives. A failure is ignored.
    func prepareKeys() async {
        guard let metadata = try? await metadata() else { return }
        try? await requireKeys(metadata)
    }

    /// Fetches the keys if there are none.
    ///
    /// - Throws: ``OAuthError``: why they are not available.
    func requireKeys(_ metadata: ServerMetadata) async throws {
        if case .none = entry { _ = try await fetchKeys(metadata) }
    }

    private var entry: KeySetCache.Entry { known.withLock { $0.keys.entry(now: now()) } }

    /// Calls `check` with the server's keys, and once more with new ones if the token's key is unknown, since servers rotate
    /// keys.
    ///
    /// - Throws: The error of `check` with current keys. If they cannot be fetched, the error says so instead, since a later
    ///   attempt may succeed.
    func withKeys<R>(_ metadata: ServerMetadata, _ check: (KeySet) throws -> R) async throws -> R {
        let keys: KeySet
        switch entry {
        case .none: return try check(try await fetchKeys(metadata))
        case .fresh(let known): keys = known
        case .old(let known):
            do {
                keys = try await fetchKeys(metadata)
            } catch let failure {
                do {
                    return try check(known)
                } catch let error as OAuthError where error.code.isOfAnotherKey {
                    throw failure
                }
            }
            return try check(keys)
        }
        do {
            return try check(keys)
        } catch let error as OAuthError where error.code.isOfAnotherKey {
            let fresh: KeySet
            do {
                fresh = try await fetchKeys(metadata)
            } catch let busy as OAuthError where busy.code == .keysFetchedTooOften && areKeysFresh {
                throw error
            }
            return try check(fresh)
        }
    }

    private var areKeysFresh: Bool { known.withLock { $0.keys.areFresh(now()) } }

    /// Fetches the keys, once for all concurrent callers.
    private func fetchKeys(_ metadata: ServerMetadata) async throws -> KeySet {
        try await keyFlight.run { try await self.fetchKeysAlone(metadata) }
    }

    private func fetchKeysAlone(_ metadata: ServerMetadata) async throws -> KeySet {
        guard let address = metadata.keySetAddress else {
            throw OAuthError(.badMetadata, "\(issuer) does not say where its keys are")
        }
        let time = now()
        guard known.withLock({ $0.keys.mayFetch(now: time) }) else {
            throw OAuthError(
                .keysFetchedTooOften, "the keys of \(issuer) were fetched too often: try again in some minutes")
        }
        let response = try await transport.send(.get(address))
        guard response.status == 200 else {
            throw OAuthError(.badResponse, "\(issuer) answers with status \(response.status), not with its keys")
        }
        let keys = try KeySet(parsing: response.body, of: issuer)
        known.withLock { $0.keys.store(keys, now: now(), lifetime: response.lifetime) }
        return keys
    }
}

extension OAuthError.Code {
    /// Whether the failure is temporary: no response, or an unusable one, such as a 503 during a restart.
    var isTransient: Bool { self == .unreachable || self == .timedOut || self == .badResponse }

    /// Whether other keys of the server may verify the token.
    fileprivate var isOfAnotherKey: Bool { self == .keyUnknown || self == .badSignature }
}

extension UnixTime {
    /// The system's time.
    package static var now: UnixTime { UnixTime(seconds: SystemTime.seconds) }
}
