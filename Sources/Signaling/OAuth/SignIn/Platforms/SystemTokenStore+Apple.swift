#if canImport(Security)
    internal import CoreFoundation
    internal import Security

    /// The Keychain of this device. Tokens are readable after the first unlock, and are not part of backups.
    public struct SystemTokenStore: TokenStore {
        /// The prefix of the service attribute; the issuer follows.
        private static let service = "duet.tokens "
        /// Shared, because the items belong to the whole app.
        private static let storeQueue = TokenStoreQueue()

        public init() {}

        /// Where this program can store tokens.
        package static var place: TokenStorageLocation {
            let query = KeychainQuery(service: service, account: "")
            return TokenStorageLocation(whenKeychainSays: SecItemCopyMatching(query.dictionary, nil))
        }

        public func read(_ key: TokenStoreKey) throws -> [UInt8]? {
            let query = KeychainQuery(service: Self.service + key.issuer, account: key.clientID)
            query.set(kSecReturnData, kCFBooleanTrue)
            var found: CFTypeRef?
            guard try Self.isDone(SecItemCopyMatching(query.dictionary, &found)) else { return nil }
            return KeychainQuery.data(of: found).map(KeychainQuery.bytes)
        }

        public func write(_ bytes: [UInt8], for key: TokenStoreKey) throws {
            let item = KeychainQuery(service: Self.service + key.issuer, account: key.clientID)
            let change = KeychainQuery()
            for query in [item, change] {
                query.set(kSecValueData, KeychainQuery.data(bytes))
                query.set(kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
            }
            switch KeychainStatus(SecItemAdd(item.dictionary, nil)) {
            case .duplicate:
                let query = KeychainQuery(service: Self.service + key.issuer, account: key.clientID)
                _ = try Self.isDone(SecItemUpdate(query.dictionary, change.dictionary))
            case .failed(let error): throw error
            case .done, .absent: break
            }
        }

        public func remove(_ key: TokenStoreKey) throws {
            let query = KeychainQuery(service: Self.service + key.issuer, account: key.clientID)
            _ = try Self.isDone(SecItemDelete(query.dictionary))
        }

        public func keys() throws -> [TokenStoreKey] {
            let query = KeychainQuery()
            query.set(kSecClass, kSecClassGenericPassword)
            query.set(kSecUseDataProtectionKeychain, kCFBooleanTrue)
            query.set(kSecReturnAttributes, kCFBooleanTrue)
            query.set(kSecMatchLimit, kSecMatchLimitAll)
            var found: CFTypeRef?
            guard try Self.isDone(SecItemCopyMatching(query.dictionary, &found)),
                let items = KeychainQuery.array(of: found)
            else { return [] }
            return (0..<CFArrayGetCount(items)).compactMap { index in
                guard let pointer = CFArrayGetValueAtIndex(items, index) else { return nil }
                let item = Unmanaged<CFDictionary>.fromOpaque(pointer).takeUnretainedValue()
                guard let service = KeychainQuery.string(kSecAttrService, of: item), service.hasPrefix(Self.service),
                    let account = KeychainQuery.string(kSecAttrAccount, of: item)
                else { return nil }
                return TokenStoreKey(issuer: String(service.dropFirst(Self.service.count)), clientID: account)
            }
        }

        public func exclusively<R: Sendable>(
            _ key: TokenStoreKey, _ body: @Sendable () async throws -> R
        ) async throws -> R {
            try await Self.storeQueue.take(key, body)
        }

        /// - Returns: `false` if the item does not exist.
        private static func isDone(_ status: Int32) throws(OAuthError) -> Bool {
            switch KeychainStatus(status) {
            case .done: true
            case .absent, .duplicate: false
            case .failed(let error): throw error
            }
        }
    }

    /// The attributes of an item, for searching or creating it.
    private struct KeychainQuery {
        private let values: CFMutableDictionary?
        private static let utf8: CFStringEncoding = 0x0800_0100

        init() {
            var keys = kCFTypeDictionaryKeyCallBacks
            var values = kCFTypeDictionaryValueCallBacks
            self.values = CFDictionaryCreateMutable(nil, 0, &keys, &values)
        }

        init(service: String, account: String) {
            self.init()
            set(kSecClass, kSecClassGenericPassword)
            set(kSecUseDataProtectionKeychain, kCFBooleanTrue)
            set(kSecAttrService, Self.string(service))
            set(kSecAttrAccount, Self.string(account))
        }

        var dictionary: CFDictionary { values ?? CFDictionaryCreateMutable(nil, 0, nil, nil) }

        /// Sets a value, which the dictionary retains.
        func set(_ key: CFString, _ value: CFTypeRef?) {
            guard let value else { return }
            CFDictionarySetValue(
                values, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
        }

        private static func string(_ text: String) -> CFString? {
            let bytes = Array(text.utf8)
            return CFStringCreateWithBytes(nil, bytes, bytes.count, utf8, false)
        }

        static func string(_ key: CFString, of item: CFDictionary) -> String? {
            guard let pointer = CFDictionaryGetValue(item, Unmanaged.passUnretained(key).toOpaque()) else { return nil }
            let text = Unmanaged<CFString>.fromOpaque(pointer).takeUnretainedValue()
            let size = CFStringGetMaximumSizeForEncoding(CFStringGetLength(text), utf8) + 1
            var buffer = [CChar](repeating: 0, count: size)
            guard CFStringGetCString(text, &buffer, size, utf8) else { return nil }
            return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        static func data(_ bytes: [UInt8]) -> CFData? { CFDataCreate(nil, bytes, bytes.count) }

        // Swift's casts do not distinguish Core Foundation types (`as?` does not compile), so type identifiers are compared.

        static func data(of found: CFTypeRef?) -> CFData? {
            guard let found, CFGetTypeID(found) == CFDataGetTypeID() else { return nil }
            return (found as! CFData)
        }

        static func array(of found: CFTypeRef?) -> CFArray? {
            guard let found, CFGetTypeID(found) == CFArrayGetTypeID() else { return nil }
            return (found as! CFArray)
        }

        static func bytes(_ data: CFData) -> [UInt8] {
            guard let start = CFDataGetBytePtr(data) else { return [] }
            return Array(UnsafeBufferPointer(start: start, count: CFDataGetLength(data)))
        }
    }
#endif
