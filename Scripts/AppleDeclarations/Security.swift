@_exported public import CoreFoundation
public import Foundation

public class CFError {}

public class SecTrust {}
public class SecCertificate {}
public class SecIdentity {}

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
// CFArray and CFData, which are cast to Swift's values there; here they are these at once.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [AnyObject]? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { fatalError() }

// Foundation's, where Security is known.
extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}
extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
}

nonisolated(unsafe) public let kSecClass: CFString! = nil
nonisolated(unsafe) public let kSecClassGenericPassword: CFString! = nil
nonisolated(unsafe) public let kSecAttrService: CFString! = nil
nonisolated(unsafe) public let kSecAttrAccount: CFString! = nil
nonisolated(unsafe) public let kSecAttrAccessible: CFString! = nil
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString! = nil
nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString! = nil
nonisolated(unsafe) public let kSecValueData: CFString! = nil
nonisolated(unsafe) public let kSecReturnData: CFString! = nil
nonisolated(unsafe) public let kSecReturnAttributes: CFString! = nil
nonisolated(unsafe) public let kSecMatchLimit: CFString! = nil
nonisolated(unsafe) public let kSecMatchLimitAll: CFString! = nil

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> Int32 { fatalError() }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> Int32 { fatalError() }
public func SecItemDelete(_ query: CFDictionary) -> Int32 { fatalError() }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> Int32 { fatalError() }

nonisolated(unsafe) public let kSecImportExportPassphrase: CFString! = nil
nonisolated(unsafe) public let kSecImportItemIdentity: CFString! = nil

public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> Int32 { fatalError() }
