public let NSEC_PER_SEC: UInt64 = 1_000_000_000

public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int)
    case milliseconds(Int)
    case microseconds(Int)
    case nanoseconds(Int)
    case never
}
public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { fatalError() }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { fatalError() }
    public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { fatalError() }
    public static func + (time: DispatchTime, seconds: Double) -> DispatchTime { fatalError() }
}
public struct DispatchQoS: Equatable, Sendable {
    public static let userInteractive = DispatchQoS()
    public static let userInitiated = DispatchQoS()
    public static let unspecified = DispatchQoS()
    public enum QoSClass: Sendable { case userInteractive, userInitiated, `default`, utility, background }
}
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
}
public final class DispatchSpecificKey<T> {
    public init() { fatalError() }
}
extension DispatchSpecificKey: Sendable where T: Sendable {}

open class DispatchObject {}
public class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { fatalError() }
        public static let concurrent = Attributes(rawValue: 2)
    }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }

    public init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) { fatalError() }
    public class var main: DispatchQueue { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public func async(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) { fatalError() }
    public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) { fatalError() }
    public func sync<T>(execute work: () throws -> T) rethrows -> T { fatalError() }
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) { fatalError() }
    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }
}
public protocol DispatchSourceProtocol {
    func setEventHandler(handler: (@Sendable @convention(block) () -> Void)?)
    func resume()
    func cancel()
}
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {
    func add(data: UInt)
}
public class DispatchSource: DispatchObject {
    public class func makeUserDataAddSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataAdd { fatalError() }
}
