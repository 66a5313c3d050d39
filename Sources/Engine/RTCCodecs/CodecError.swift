import RTCMedia

/// An error of a codec, with what to do about it.
public struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Sendable, Hashable {
        private enum Value { case unavailable, unsupported, invalidSettings, invalidInput, corruptData, failed }
        private let value: Value

        /// The codec's library is not installed, or its version cannot be used.
        public static let unavailable = Code(value: .unavailable)
        /// There is no codec with this name or these parameters.
        public static let unsupported = Code(value: .unsupported)
        /// The settings contradict each other or are out of range.
        public static let invalidSettings = Code(value: .invalidSettings)
        /// The frame or audio has a format that the encoder does not accept.
        public static let invalidInput = Code(value: .invalidInput)
        /// The data are damaged, or decoding has to begin with a key frame. A decoder recovers with the next key frame.
        public static let corruptData = Code(value: .corruptData)
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

extension CodecError {
    static func notVideo(_ format: PayloadFormat) -> CodecError {
        CodecError(.unsupported, "\(format.rawValue) is no video codec")
    }

    static func notAudio(_ format: PayloadFormat) -> CodecError {
        CodecError(.unsupported, "\(format.rawValue) is no audio codec")
    }
}
