/// The reason why a window cannot be shown, and what to do about it.
public struct ViewError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Sendable, Hashable {
        private enum Value { case unavailable, noDisplay, noMainLoop, wrongThread, failed }
        private let value: Value

        /// The user interface library is not installed, or its version cannot be used.
        public static let unavailable = Code(value: .unavailable)
        /// There is no display.
        public static let noDisplay = Code(value: .noDisplay)
        /// A window was requested while ``MainLoop`` does not run.
        public static let noMainLoop = Code(value: .noMainLoop)
        /// The main loop was started on another thread than the first one of the process, or while it runs already.
        public static let wrongThread = Code(value: .wrongThread)
        /// The library failed for another reason.
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
