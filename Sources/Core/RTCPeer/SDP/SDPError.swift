/// Why a text is not a session description.
public struct SDPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the failure. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A limit of ``SDPLimits`` was exceeded.
        public static let tooLarge = Code(rawValue: "too-large")
        /// A line that is not `type=value`, or that has a byte which no line may have.
        public static let malformedLine = Code(rawValue: "malformed-line")
        /// A type of line that RFC 8866 does not define at this place.
        public static let unexpectedLine = Code(rawValue: "unexpected-line")
        /// The text ends, or a section begins, before a line that has to be there.
        public static let missingLine = Code(rawValue: "missing-line")
        /// A value that an attribute or a field may not have.
        public static let invalidValue = Code(rawValue: "invalid-value")
        /// An attribute that may occur once in a section and occurs again.
        public static let duplicateAttribute = Code(rawValue: "duplicate-attribute")
    }

    public let code: Code
    /// The line at which it shows, from 1.
    public let line: Int
    /// The error in the line.
    public let reason: String

    public init(_ code: Code, line: Int, _ reason: String) {
        self.code = code
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}

/// Limits on session descriptions. A description that exceeds one is refused as a whole.
public enum SDPLimits {
    /// Bytes of the text.
    public static let size = 262_144
    /// Lines of the text.
    public static let lines = 8_192
    /// `m=` sections.
    public static let sections = 256
    /// Lines of one section.
    public static let linesPerSection = 2_048
    /// Candidates of one section.
    public static let candidatesPerSection = 256
    /// Bytes of one candidate.
    public static let candidateSize = 1_024
    /// Bytes of one `a=fmtp`, of a section that is used.
    public static let formatParametersSize = 4_096
    /// RTP sources of one section that are looked at.
    public static let sourcesPerSection = 64
    /// The most media streams that one track may belong to.
    public static let streamsPerSection = 64
}
