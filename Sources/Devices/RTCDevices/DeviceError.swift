/// What went wrong with a device, a permission, a file that stands for a device, or a recording, and what to do about it.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was.
    public struct Code: Sendable, Hashable {
        private enum Value {
            case unavailable, unreadable, notMedia, unwritable, failed
            case denied, restricted, usageDescriptionMissing, unanswered, cancelled
            case notFound, disconnected, busy, unsupported
        }
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

        /// The person, or the system's settings, do not let the app use it. The message says where that can be changed.
        public static let denied = Code(value: .denied)
        /// The person could not allow it if they wanted to: parental controls, a profile, a sandbox without the right.
        public static let restricted = Code(value: .restricted)
        /// The app's Info.plist lacks the text that the system shows when it asks; the system would end the app for it. The
        /// message names the key.
        public static let usageDescriptionMissing = Code(value: .usageDescriptionMissing)
        /// The person was asked, and nobody answered in time.
        public static let unanswered = Code(value: .unanswered)
        /// The task that waited was cancelled.
        public static let cancelled = Code(value: .cancelled)

        /// There is no such device.
        public static let notFound = Code(value: .notFound)
        /// The device was pulled out. This instance of it does not come back.
        public static let disconnected = Code(value: .disconnected)
        /// Another program has the device.
        public static let busy = Code(value: .busy)
        /// The device cannot do what was asked of it.
        public static let unsupported = Code(value: .unsupported)
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
