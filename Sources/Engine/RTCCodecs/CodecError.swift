import RTCMedia

/// An error of a codec, with what to do about it.
package struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    package struct Code: Sendable, Hashable {
        private enum Value { case unavailable, unsupported, invalidSettings, invalidInput, corruptData, failed }
        private let value: Value

        /// The codec's library is not installed, or its version cannot be used.
        package static let unavailable = Code(value: .unavailable)
        /// There is no codec with this name or these parameters.
        package static let unsupported = Code(value: .unsupported)
        /// The settings contradict each other or are out of range.
        package static let invalidSettings = Code(value: .invalidSettings)
        /// The frame or audio has a format that the encoder does not accept.
        package static let invalidInput = Code(value: .invalidInput)
        /// The data are damaged, or decoding has to begin with a key frame. A decoder recovers with the next key frame.
        package static let corruptData = Code(value: .corruptData)
        /// The library failed for another reason.
        package static let failed = Code(value: .failed)
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension CodecError {
    static func notVideo(_ format: PayloadFormat) -> CodecError {
        CodecError(.unsupported, "\(format.rawValue) is no video codec")
    }

    static func notAudio(_ format: PayloadFormat) -> CodecError {
        CodecError(.unsupported, "\(format.rawValue) is no audio codec")
    }
}
