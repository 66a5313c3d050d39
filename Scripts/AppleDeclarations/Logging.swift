/// Of swift-log, which is no framework of Apple's, but whose code does not compile here.
public struct Logger: Sendable {
    public enum Level: String, Codable, CaseIterable, Sendable, Comparable {
        case trace, debug, info, notice, warning, error, critical
        public static func < (lhs: Level, rhs: Level) -> Bool { fatalError() }
    }
    public enum MetadataValue: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        case string(String)
        case stringConvertible(any CustomStringConvertible & Sendable)
        public init(stringLiteral value: String) { fatalError() }
    }
    public typealias Metadata = [String: MetadataValue]
    public struct Message: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        public init(stringLiteral value: String) { fatalError() }
    }

    public let label: String
    public init(label: String) { fatalError() }
    public var logLevel: Level { get { fatalError() } set { fatalError() } }
    public subscript(metadataKey metadataKey: String) -> MetadataValue? { get { fatalError() } set { fatalError() } }
    public func trace(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
    public func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
    public func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
    public func notice(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
    public func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
    public func error(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
    public func critical(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) { fatalError() }
}
