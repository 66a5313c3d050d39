/// What went wrong with a device, a file that stands for one, or a recording, and what to do about it.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was.
    public struct Code: Sendable, Hashable {
        private enum Value { case unavailable, unreadable, notMedia, unwritable, failed }
        private let value: Value

        /// The library that drives devices and files is not on this machine, or lacks a part.
        public static let unavailable = Code(value: .unavailable)
        /// A file cannot be opened or read.
        public static let unreadable = Code(value: .unreadable)
        /// A file holds neither pictures nor sound that can be played.
        public static let notMedia = Code(value: .notMedia)
        /// A file cannot be made or written to.
        public static let unwritable = Code(value: .unwritable)
        /// The library failed for a reason of its own.
        public static let failed = Code(value: .failed)
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
