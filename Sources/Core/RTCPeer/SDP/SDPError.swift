/// Why a text is not a session description.
package struct SDPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the failure. More may be added.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A limit of ``SDPLimits`` was exceeded.
        package static let tooLarge = Code(rawValue: "too-large")
        /// A line that is not `type=value`, or that has a byte which no line may have.
        package static let malformedLine = Code(rawValue: "malformed-line")
        /// A type of line that RFC 8866 does not define at this place.
        package static let unexpectedLine = Code(rawValue: "unexpected-line")
        /// The text ends, or a section begins, before a line that has to be there.
        package static let missingLine = Code(rawValue: "missing-line")
        /// A value that an attribute or a field may not have.
        package static let invalidValue = Code(rawValue: "invalid-value")
        /// An attribute that may occur once in a section and occurs again.
        package static let duplicateAttribute = Code(rawValue: "duplicate-attribute")
    }

    package let code: Code
    /// The line at which it shows, from 1.
    package let line: Int
    /// The error in the line.
    package let reason: String

    package init(_ code: Code, line: Int, _ reason: String) {
        self.code = code
        self.line = line
        self.reason = reason
    }

    package var description: String { "line \(line): \(reason)" }
}

/// Limits on session descriptions. A description that exceeds one is refused as a whole.
package enum SDPLimits {
    /// Bytes of the text.
    package static let size = 262_144
    /// Lines of the text.
    package static let lines = 8_192
    /// `m=` sections.
    package static let sections = 256
    /// Audio and video sections of an offer that are accepted, those that are open already included. Each of them may cost a
    /// decoder and its pictures, for a few bytes.
    package static let openMediaSections = 32
    /// Lines of one section.
    package static let linesPerSection = 2_048
    /// Candidates of one section.
    package static let candidatesPerSection = 256
    /// Bytes of one candidate.
    package static let candidateSize = 1_024
    /// Bytes of one `a=fmtp`, of a section that is used.
    package static let formatParametersSize = 4_096
    /// RTP sources of one section that are looked at.
    package static let sourcesPerSection = 64
    /// The most media streams that one track may belong to.
    package static let streamsPerSection = 64
}
