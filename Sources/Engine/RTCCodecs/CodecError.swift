import RTCMedia

/// What went wrong in a codec, and what to do about it.
public struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was.
    public struct Code: Sendable, Hashable {
        private enum Value { case unavailable, unsupported, invalidSettings, invalidInput, corruptData, failed }
        private let value: Value

        /// The codec's library is not on this machine, or is not one that can be used.
        public static let unavailable = Code(value: .unavailable)
        /// The engine has no codec of that name or with those parameters.
        public static let unsupported = Code(value: .unsupported)
        /// The settings contradict themselves or are out of range.
        public static let invalidSettings = Code(value: .invalidSettings)
        /// What was to be encoded has a form that the encoder cannot take.
        public static let invalidInput = Code(value: .invalidInput)
        /// What was to be decoded is damaged, or begins in the middle. A decoder goes on with the next key frame.
        public static let corruptData = Code(value: .corruptData)
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

extension CodecError {
    static func notVideo(_ format: PayloadFormat) -> CodecError {
        CodecError(.unsupported, "\(format.rawValue) is no video codec")
    }

    static func notAudio(_ format: PayloadFormat) -> CodecError {
        CodecError(.unsupported, "\(format.rawValue) is no audio codec")
    }
}
