@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import ObjectiveCRuntime

open class NSError: NSObject, Error, @unchecked Sendable {
    open var code: Int { fatalError() }
    open var domain: String { fatalError() }
}
open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { fatalError() }
    open func object(forInfoDictionaryKey key: String) -> Any? { fatalError() }
}
public class NSCoder: NSObject {}

public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    public init(_ value: Bool) { fatalError() }
    public init(booleanLiteral value: Bool) { fatalError() }
    public var boolValue: Bool { fatalError() }
}

public struct Data: Hashable, Sendable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection, Codable {
    public typealias Index = Int
    public typealias Element = UInt8
    public init() { fatalError() }
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 { fatalError() }
    public init(from decoder: any Decoder) throws { fatalError() }
    public func encode(to encoder: any Encoder) throws { fatalError() }
    public init?(base64Encoded base64String: String) { fatalError() }
    public func base64EncodedString() -> String { fatalError() }
    public var count: Int { fatalError() }
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public subscript(index: Int) -> UInt8 { get { fatalError() } set { fatalError() } }
    public subscript(bounds: Range<Int>) -> Data { get { fatalError() } set { fatalError() } }
    public func index(before i: Int) -> Int { fatalError() }
    public func index(after i: Int) -> Int { fatalError() }
    public mutating func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with newElements: C) where C.Element == UInt8 { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct UUID: Hashable, Sendable, Codable, CustomStringConvertible {
    public init() { fatalError() }
    public init?(uuidString string: String) { fatalError() }
    public init(from decoder: any Decoder) throws { fatalError() }
    public func encode(to encoder: any Encoder) throws { fatalError() }
    public var uuidString: String { fatalError() }
    public var description: String { fatalError() }
}

public struct Date: Hashable, Sendable, Comparable {
    public init() { fatalError() }
    public var timeIntervalSince1970: Double { fatalError() }
    public static func < (lhs: Date, rhs: Date) -> Bool { fatalError() }
}

public struct URL: Hashable, Sendable {
    public init?(string: String) { fatalError() }
    public init(fileURLWithPath path: String) { fatalError() }
    public var absoluteString: String { fatalError() }
    public func deletingLastPathComponent() -> URL { fatalError() }
    public func appending<S: StringProtocol>(components: S...) -> URL { fatalError() }
}

// MARK: Files

extension Data {
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let atomic = WritingOptions(rawValue: 1)
    }
    public init(contentsOf url: URL) throws { fatalError() }
    public func write(to url: URL, options: WritingOptions = []) throws { fatalError() }
}
open class FileManager: NSObject, @unchecked Sendable {
    public enum SearchPathDirectory: UInt, Sendable { case applicationSupportDirectory = 14 }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let userDomainMask = SearchPathDomainMask(rawValue: 1)
    }
    open class var `default`: FileManager { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open func url(
        for directory: SearchPathDirectory, in domain: SearchPathDomainMask, appropriateFor url: URL?, create shouldCreate: Bool
    ) throws -> URL { fatalError() }
    open func createDirectory(at url: URL, withIntermediateDirectories createIntermediates: Bool) throws { fatalError() }
}
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var processName: String { fatalError() }
}

// MARK: Loading by addresses

public struct URLRequest: Hashable, Sendable {
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy = 0, reloadRevalidatingCacheData = 5 }
    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: Double = 60) { fatalError() }
    public var url: URL? { get { fatalError() } set { fatalError() } }
    public var httpMethod: String? { get { fatalError() } set { fatalError() } }
    public var httpBody: Data? { get { fatalError() } set { fatalError() } }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { fatalError() }
}
open class URLResponse: NSObject, @unchecked Sendable {
    open var url: URL? { fatalError() }
}
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { fatalError() }
    open func value(forHTTPHeaderField field: String) -> String? { fatalError() }
}
open class URLCredential: NSObject, @unchecked Sendable {}
open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var host: String { fatalError() }
    open var authenticationMethod: String { fatalError() }
}
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var protectionSpace: URLProtectionSpace { fatalError() }
    open var proposedCredential: URLCredential? { fatalError() }
}
public let NSURLAuthenticationMethodServerTrust: String = ""

open class JSONDecoder: @unchecked Sendable {
    public init() { fatalError() }
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
open class JSONEncoder: @unchecked Sendable {
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
    }
    public init() { fatalError() }
    open var outputFormatting: OutputFormatting { get { fatalError() } set { fatalError() } }
    open func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}
open class JSONSerialization: NSObject {
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
    }
    open class func isValidJSONObject(_ obj: Any) -> Bool { fatalError() }
    open class func data(withJSONObject obj: Any, options opt: WritingOptions = []) throws -> Data { fatalError() }
}

// Its content may be anything, so a notification is not Sendable.
public struct Notification {
    public struct Name: Hashable, Sendable, RawRepresentable {
        public var rawValue: String
        public init(rawValue: String) { fatalError() }
    }
    public var name: Name
    public var object: Any?
    public var userInfo: [AnyHashable: Any]?
}
@available(*, unavailable)
extension Notification: Sendable {}

open class UserDefaults: NSObject, @unchecked Sendable {
    open class var standard: UserDefaults { fatalError() }
    open func string(forKey defaultName: String) -> String? { fatalError() }
    open func set(_ value: Any?, forKey defaultName: String) { fatalError() }
}
open class OperationQueue: NSObject, @unchecked Sendable {
    open class var main: OperationQueue { fatalError() }
}
open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { fatalError() }
    open func addObserver(
        forName name: Notification.Name?, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) { fatalError() }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
}
extension Error {
    public var localizedDescription: String { fatalError() }
}

public struct URLError: Error, Sendable {
    public struct Code: Hashable, Sendable {
        public static var timedOut: Code { fatalError() }
        public static var cancelled: Code { fatalError() }
        public static var secureConnectionFailed: Code { fatalError() }
        public static var serverCertificateHasBadDate: Code { fatalError() }
        public static var serverCertificateUntrusted: Code { fatalError() }
        public static var serverCertificateHasUnknownRoot: Code { fatalError() }
        public static var serverCertificateNotYetValid: Code { fatalError() }
        public static var appTransportSecurityRequiresSecureConnection: Code { fatalError() }
    }
    public var code: Code { fatalError() }
    public var failingURL: URL? { fatalError() }
}
open class URLCache: NSObject, @unchecked Sendable {}
public typealias TimeInterval = Double
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var timeoutIntervalForResource: TimeInterval { get { fatalError() } set { fatalError() } }
    open var httpShouldSetCookies: Bool { get { fatalError() } set { fatalError() } }
    open var urlCache: URLCache? { get { fatalError() } set { fatalError() } }
}
open class URLSessionTask: NSObject, @unchecked Sendable {}
// Required here, though the SDK has it optional: a near miss would be passed over.
public protocol URLSessionTaskDelegate: NSObjectProtocol, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
}
open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    public init(configuration: URLSessionConfiguration) { fatalError() }
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> UInt8? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
    open func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) { fatalError() }
}
