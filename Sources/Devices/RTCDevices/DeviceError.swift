/// An error of a device, a permission, a media file or a recording, with what to do about it.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Sendable, Hashable {
        private enum Value {
            case unavailable, unreadable, notMedia, unwritable, failed
            case denied, restricted, usageDescriptionMissing, unanswered, cancelled
            case notFound, disconnected, busy, unsupported
        }
        private let value: Value

        /// The library that drives devices and files is not installed, or lacks a component.
        public static let unavailable = Code(value: .unavailable)
        /// A file cannot be opened or read.
        public static let unreadable = Code(value: .unreadable)
        /// A file contains neither video nor audio that can be played.
        public static let notMedia = Code(value: .notMedia)
        /// A file cannot be created or written.
        public static let unwritable = Code(value: .unwritable)
        /// The library failed for another reason.
        public static let failed = Code(value: .failed)

        /// The person or the system's settings deny the permission. The message says where to change that.
        public static let denied = Code(value: .denied)
        /// The person cannot grant the permission: parental controls, a profile, or a sandbox without the entitlement.
        public static let restricted = Code(value: .restricted)
        /// The app's Info.plist lacks the usage description that the system shows, without which the system would end
        /// the app. The message names the key.
        public static let usageDescriptionMissing = Code(value: .usageDescriptionMissing)
        /// The person was asked for permission, and did not answer in time.
        public static let unanswered = Code(value: .unanswered)
        /// The waiting task was cancelled.
        public static let cancelled = Code(value: .cancelled)

        /// There is no such device.
        public static let notFound = Code(value: .notFound)
        /// The device was unplugged. Plugged in again, it is a new instance.
        public static let disconnected = Code(value: .disconnected)
        /// Another program uses the device.
        public static let busy = Code(value: .busy)
        /// The device does not support what was requested.
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
