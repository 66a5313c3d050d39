/// What keeps a window from being shown, and what to do about it.
public struct ViewError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was.
    public struct Code: Sendable, Hashable {
        private enum Value { case unavailable, noDisplay, noMainLoop, wrongThread, failed }
        private let value: Value

        /// The library that makes windows is not on this machine, or is not one that can be used.
        public static let unavailable = Code(value: .unavailable)
        /// There is no screen to show a window on.
        public static let noDisplay = Code(value: .noDisplay)
        /// A window was asked for while ``MainLoop`` does not run.
        public static let noMainLoop = Code(value: .noMainLoop)
        /// The main loop was begun on a thread that is not the first one of the process, or while it runs already.
        public static let wrongThread = Code(value: .wrongThread)
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
