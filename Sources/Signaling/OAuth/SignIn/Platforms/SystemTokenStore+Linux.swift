#if os(Linux)
    internal import CSecret
    internal import Dispatch
    internal import Glibc
    internal import Synchronization

    /// The Secret Service of the desktop (GNOME Keyring, KWallet, KeePassXC), with libsecret.
    public struct SystemTokenStore: TokenStore {
        private let library: String
        /// The folder of the lock file that all processes of the user share; `nil` if the session has none.
        private let lockFolder: String?
        /// Shared, because the tokens belong to the whole program.
        private static let storeQueue = TokenStoreQueue()

        /// Creates a store.
        ///
        /// - Parameter library: The name of the library.
        public init(library: String = "libsecret-1.so.0") {
            self.init(library: library, lockFolder: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) })
        }

        init(library: String, lockFolder: String?) {
            self.library = library
            self.lockFolder = lockFolder
        }

        public func read(_ key: TokenStoreKey) async throws -> [UInt8]? {
            try await call { library, reason in
                let found = Found()
                let outcome = csecret_lookup(
                    library, key.issuer, key.clientID,
                    { secret, context in
                        guard let secret, let context else { return }
                        Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().secret = String(cString: secret)
                    }, Unmanaged.passUnretained(found).toOpaque(), reason.baseAddress, reason.count)
                return (outcome, withExtendedLifetime(found) { $0.secret.map { Array($0.utf8) } })
            }
        }

        public func write(_ bytes: [UInt8], for key: TokenStoreKey) async throws {
            let secret = Secret(String(decoding: bytes, as: UTF8.self))
            try await call { library, reason in
                let label = "Sign-in at \(key.issuer)"
                let outcome = csecret_store(
                    library, key.issuer, key.clientID, label, secret.value, reason.baseAddress, reason.count)
                return (outcome, ())
            }
        }

        public func remove(_ key: TokenStoreKey) async throws {
            try await call { library, reason in
                (csecret_clear(library, key.issuer, key.clientID, reason.baseAddress, reason.count), ())
            }
        }

        public func keys() async throws -> [TokenStoreKey] {
            try await call { library, reason in
                let found = Found()
                let outcome = csecret_list(
                    library,
                    { issuer, client, context in
                        guard let issuer, let client, let context else { return }
                        Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().keys.append(
                            TokenStoreKey(issuer: String(cString: issuer), clientID: String(cString: client)))
                    }, Unmanaged.passUnretained(found).toOpaque(), reason.baseAddress, reason.count)
                return (outcome, withExtendedLifetime(found) { $0.keys })
            }
        }

        /// Takes turns within this process, and by a lock on a file that all processes of this user share. The lock is
        /// released when the process ends. Without a folder for it (outside of a login session), only this process
        /// takes turns.
        public func exclusively<R: Sendable>(
            _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
        ) async throws -> R {
            try await Self.storeQueue.take(key) {
                guard let file = lockFile() else { return try await body() }
                defer { close(file) }
                let began = ContinuousClock.now
                while flock(file, LOCK_EX | LOCK_NB) != 0 {
                    // Without a turn, a refresh token could be used twice, which ends the session.
                    guard began.duration(to: .now) < Self.patience else {
                        throw OAuthError(
                            .tokenStoreFailed, "another program of yours keeps the tokens to itself: does one hang?")
                    }
                    try await Task.sleep(for: .milliseconds(20))
                }
                return try await body()
            }
        }

        private func lockFile() -> Int32? {
            guard let lockFolder else { return nil }
            let path = lockFolder + "/duet-tokens.lock"
            let file = Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
            return file < 0 ? nil : file
        }

        /// The result that the library passes to a callback.
        private final class Found {
            var secret: String?
            var keys: [TokenStoreKey] = []
        }

        /// Longer than all requests of one refresh together.
        private static let patience = Duration.seconds(75)

        // Calls may wait for the person, so they run on a queue of their own, not on the threads for tasks.
        private static let queue = DispatchQueue(label: "duet.token-store")

        private func call<R: Sendable>(
            _ body: @escaping @Sendable (OpaquePointer, UnsafeMutableBufferPointer<CChar>) -> (CSecretOutcome, R)
        ) async throws -> R {
            let library = try LoadedLibraries.shared.load(library)
            return try await withCheckedThrowingContinuation { continuation in
                Self.queue.async {
                    var reason = [CChar](repeating: 0, count: 512)
                    let (outcome, result) = reason.withUnsafeMutableBufferPointer { body(library.pointer, $0) }
                    let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    switch outcome {
                    case csecret_done, csecret_absent: continuation.resume(returning: result)
                    case csecret_no_service:
                        continuation.resume(
                            throwing: OAuthError(
                                .noTokenStore,
                                "no Secret Service answers to keep the tokens: install one, such as gnome-keyring, "
                                    + "and sign in to the desktop (\(text))"))
                    default:
                        continuation.resume(
                            throwing: OAuthError(.tokenStoreFailed, "the Secret Service failed: \(text)"))
                    }
                }
            }
        }
    }

    /// The libraries, each loaded once and never unloaded.
    private final class LoadedLibraries: Sendable {
        static let shared = LoadedLibraries()

        struct Library: @unchecked Sendable {
            /// Never freed, never changed.
            let pointer: OpaquePointer
        }

        private let libraries = Mutex<[String: Library]>([:])

        func load(_ name: String) throws -> Library {
            try libraries.withLock { libraries in
                if let library = libraries[name] { return library }
                var reason = [CChar](repeating: 0, count: 512)
                guard let pointer = csecret_load(name, &reason, reason.count) else {
                    let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    throw OAuthError(
                        .noTokenStore,
                        "tokens are kept by libsecret, which is not here; install it (Debian: libsecret-1-0): \(text)")
                }
                let library = Library(pointer: pointer)
                libraries[name] = library
                return library
            }
        }
    }
#endif
