/// One line that is neither `v=`, `o=`, `s=` nor `m=`.
package enum SDPLine: Sendable, Hashable {
    /// `a=`
    case attribute(SDPAttribute)
    /// Any other: the ASCII code of its letter, and what follows the equals sign.
    case field(UInt8, String)

    /// `c=` (RFC 8866, section 5.7)
    package static func connection(_ value: String) -> SDPLine { .field(UInt8(ascii: "c"), value) }
    /// `t=` (RFC 8866, section 5.9)
    package static func timing(_ value: String) -> SDPLine { .field(UInt8(ascii: "t"), value) }
}

/// The lines of the whole session, or those of one `m=` section, in their order.
///
/// The typed accessors look for the first line of their kind. A description is read once per exchange, so they search.
package struct SDPLevel: Sendable, Hashable {
    package var lines: [SDPLine]

    package init(lines: [SDPLine] = []) {
        self.lines = lines
    }

    /// The attributes in their order.
    package var attributes: some Sequence<SDPAttribute> {
        lines.lazy.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }

    /// Adds an attribute at the end.
    package mutating func append(_ content: SDPAttribute.Content) {
        lines.append(.attribute(SDPAttribute(content)))
    }

    /// The first attribute's content that `select` accepts.
    package func first<Value>(_ select: (SDPAttribute.Content) -> Value?) -> Value? {
        for line in lines {
            if case .attribute(let attribute) = line, let value = select(attribute.content) { return value }
        }
        return nil
    }

    /// The contents of all attributes that `select` accepts.
    package func all<Value>(_ select: (SDPAttribute.Content) -> Value?) -> [Value] {
        lines.compactMap { if case .attribute(let attribute) = $0 { select(attribute.content) } else { nil } }
    }

    func write(to text: inout String) {
        for line in lines {
            switch line {
            case .attribute(let attribute):
                text += "a="
                text += attribute.name
                if let value = attribute.value {
                    text += ":"
                    text += value
                }
            case .field(let type, let value):
                text.unicodeScalars.append(Unicode.Scalar(type))
                text += "="
                text += value
            }
            text += "\r\n"
        }
    }
}
