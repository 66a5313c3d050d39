@_exported public import CoreFoundation
@_exported public import Dispatch

// Of Objective-C's own module, which Foundation hands on.
public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol {
    public init() { fatalError() }
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
    public var absoluteString: String { fatalError() }
}

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
