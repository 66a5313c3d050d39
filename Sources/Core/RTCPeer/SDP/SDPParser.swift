/// Parses a description line by line in one pass.
struct SDPParser {
    /// The number of the current line, from 1.
    private var line = 0
    private var origin: SDPOrigin?
    private var name: String?
    private var session = SDPLevel()
    private var media: [SDPMediaSection] = []
    /// The current section; moved to `media` when the next begins, so that adding a line copies none.
    private var section: SDPMediaSection?
    /// The attributes that the current level already has.
    private var seen: Set<String> = []
    private var candidates = 0

    mutating func parse(_ text: String) throws(SDPError) -> SDP {
        guard text.utf8.count <= SDPLimits.size else {
            throw SDPError(.tooLarge, line: 1, "the description is longer than \(SDPLimits.size) bytes")
        }
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 10) ?? bytes.count
            line += 1
            guard line <= SDPLimits.lines else {
                throw error(.tooLarge, "there are more than \(SDPLimits.lines) lines")
            }
            let isCRLF = end > start && bytes[end - 1] == 13
            let content = bytes[start..<(isCRLF ? end - 1 : end)]
            if content.isEmpty {
                // Signalling often appends empty lines at the end; elsewhere they are an error.
                guard bytes[end...].allSatisfy({ $0 == 10 || $0 == 13 }) else {
                    throw error(.malformedLine, "the line is empty")
                }
                break
            }
            try parse(content)
            start = end + 1
        }
        return try finish()
    }

    private mutating func parse(_ bytes: ArraySlice<UInt8>) throws(SDPError) {
        guard let type = bytes.first, bytes.count >= 2, bytes[bytes.startIndex + 1] == UInt8(ascii: "="),
            // RFC 8866, section 9: byte-string is anything but NUL, CR and LF.
            bytes.allSatisfy({ $0 != 0 && $0 != 13 })
        else { throw error(.malformedLine, "a line is a letter, an equals sign, and text without NUL and CR") }
        let value = String(decoding: bytes.dropFirst(2), as: UTF8.self)
        switch type {
        case UInt8(ascii: "v"):
            guard line == 1 else { throw error(.unexpectedLine, "v= stands elsewhere than in the first line") }
            guard value == "0" else { throw error(.invalidValue, "the version is not 0") }
        case UInt8(ascii: "o"):
            guard line == 2 else { throw error(.unexpectedLine, "o= stands elsewhere than in the second line") }
            guard let parsed = SDPOrigin(value) else { throw error(.invalidValue, "o= does not have its six words") }
            origin = parsed
        case UInt8(ascii: "s"):
            guard line == 3 else { throw error(.unexpectedLine, "s= stands elsewhere than in the third line") }
            name = value
        default:
            guard line != 1 else { throw error(.missingLine, "v= is missing") }
            guard origin != nil else { throw error(.missingLine, "o= is missing") }
            guard name != nil else { throw error(.missingLine, "s= is missing") }
            try parse(type: type, value)
        }
    }

    /// A line after the first three.
    private mutating func parse(type: UInt8, _ value: String) throws(SDPError) {
        switch type {
        case UInt8(ascii: "m"):
            endSection()
            guard media.count < SDPLimits.sections else {
                throw error(.tooLarge, "there are more than \(SDPLimits.sections) sections")
            }
            guard let parsed = SDPMediaSection(mediaLine: value) else {
                throw error(.invalidValue, "m= is not a medium, a port, a protocol and formats")
            }
            section = parsed
        case UInt8(ascii: "a"):
            try add(.attribute(parseAttribute(value)))
        case UInt8(ascii: "i"), UInt8(ascii: "c"), UInt8(ascii: "b"), UInt8(ascii: "k"):
            try add(.field(type, value))
        case UInt8(ascii: "u"), UInt8(ascii: "e"), UInt8(ascii: "p"), UInt8(ascii: "t"), UInt8(ascii: "r"),
            UInt8(ascii: "z"):
            guard section == nil else { throw error(.unexpectedLine, "such a line belongs before the sections") }
            try add(.field(type, value))
        default:
            throw error(.unexpectedLine, "RFC 8866 has no lines of this type")
        }
    }

    private mutating func parseAttribute(_ text: String) throws(SDPError) -> SDPAttribute {
        let (name, value) = text.sdpCut(":")
        guard SDPText.isToken(name) else { throw error(.malformedLine, "the attribute's name is not a token") }
        let attribute: SDPAttribute
        do throws(SDPValueError) {
            attribute = try SDPAttribute(checkedName: String(name), value: value.map { String($0) })
        } catch let failure {
            throw error(.invalidValue, failure.reason)
        }
        switch attribute.content {
        case .mid, .iceUsernameFragment, .icePassword, .setup, .tlsID, .sctpPort, .maximumMessageSize:
            guard seen.insert(attribute.name).inserted else {
                throw error(.duplicateAttribute, "a=\(attribute.name) occurs twice")
            }
        case .candidate(let candidate):
            candidates += 1
            guard candidates <= SDPLimits.candidatesPerSection, candidate.utf8.count <= SDPLimits.candidateSize else {
                throw error(.tooLarge, "there are too many candidates, or one is too long")
            }
        default: break
        }
        return attribute
    }

    private mutating func add(_ line: SDPLine) throws(SDPError) {
        guard (section?.level ?? session).lines.count < SDPLimits.linesPerSection else {
            throw error(.tooLarge, "the section has more than \(SDPLimits.linesPerSection) lines")
        }
        if section == nil {
            session.lines.append(line)
        } else {
            section?.level.lines.append(line)
        }
    }

    private mutating func endSection() {
        if let section { media.append(section) }
        section = nil
        seen.removeAll(keepingCapacity: true)
        candidates = 0
    }

    private mutating func finish() throws(SDPError) -> SDP {
        guard let origin, let name else { throw SDPError(.missingLine, line: line + 1, "the text ends before s=") }
        endSection()
        return SDP(origin: origin, name: name, session: session, media: media)
    }

    private func error(_ code: SDPError.Code, _ reason: String) -> SDPError {
        SDPError(code, line: line, reason)
    }
}
