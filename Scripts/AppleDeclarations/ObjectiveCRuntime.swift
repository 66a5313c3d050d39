// What Foundation and Objective-C's own module have together. It is a module of its own here, since of Foundation's the compiler
// demands that what is observed be known to Objective-C, which there is not.
public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol {
    public init() { fatalError() }
    open func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) { fatalError() }
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) { fatalError() }
    // A class of Objective-C is an object, too, and answers to the same messages.
    open class func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) { fatalError() }
    open class func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) { fatalError() }
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) { fatalError() }
}
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}
public struct NSKeyValueChangeKey: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
}
public struct NSKeyValueObservedChange<Value> {
    public let newValue: Value?
}
public class NSKeyValueObservation: NSObject {
    public func invalidate() { fatalError() }
}
// The change handler is Sendable in the SDK; it is called on the thread that changes the value.
public protocol NSKeyValueCodingAndObserving: NSObjectProtocol {}
extension NSObject: NSKeyValueCodingAndObserving {}
extension NSKeyValueCodingAndObserving {
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation { fatalError() }
}
public struct Selector: Hashable, Sendable {
    public init(_ string: String) { fatalError() }
}
