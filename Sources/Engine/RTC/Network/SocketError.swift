/// The reason why a socket could not be opened, or was closed.
struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    struct Code: Hashable, Sendable {
        fileprivate let name: String

        /// Every port of the range is in use.
        static let portsExhausted = Code(name: "portsExhausted")
        /// The address is not one of this machine's (any more).
        static let addressNotAvailable = Code(name: "addressNotAvailable")
        /// The system denies it, as it does ports below 1024.
        static let notPermitted = Code(name: "notPermitted")
        /// The process has too many open files.
        static let tooManyDescriptors = Code(name: "tooManyDescriptors")
        /// The socket was closed by the system.
        static let closed = Code(name: "closed")
        /// Anything else that a system call reports.
        static let system = Code(name: "system")
    }

    let code: Code
    /// `errno`, or 0 when no system call failed.
    let errorNumber: Int32
    /// What happened, and what to do about it.
    let message: String

    init(_ code: Code, errorNumber: Int32 = 0, _ message: String) {
        self.code = code
        self.errorNumber = errorNumber
        self.message = message
    }

    var description: String { message }
}
