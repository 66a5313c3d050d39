/// The character classes of RFC 8866, section 9.
enum SDPText {
    /// One or more token-char: printable characters except `"(),/:;<=>?@[\]`.
    static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenCharacter)
    }

    /// Any bytes except NUL, CR and LF, which would end the line.
    static func isLine(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 != 0 && $0 != 10 && $0 != 13 }
    }

    /// ice-char (RFC 8839, section 5.1): a letter, a digit, "+" or "/".
    static func isICECharacters(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    }

    /// ice-char as accepted from remote peers: some implementations have always generated "-", "=", "#" and "_", and
    /// browsers accept them.
    static func isLenientICECharacters(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "-"), UInt8(ascii: "="), UInt8(ascii: "#"), UInt8(ascii: "_"): true
            case UInt8(ascii: "+"), UInt8(ascii: "/"): true
            default: isAlphanumeric($0)
            }
        }
    }

    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x27, 0x2A...0x2B, 0x2D...0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7E: true
        default: false
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension FixedWidthInteger {
    /// A decimal number without other characters; `nil` when it does not fit.
    init?(sdpDecimal text: some StringProtocol) {
        guard !text.isEmpty else { return nil }
        var number: Self = 0
        for byte in text.utf8 {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(Self(byte &- 0x30))
            guard !overflowed, !carried else { return nil }
            number = sum
        }
        self = number
    }
}

// Operates on bytes: a separator with a combining mark is still a separator, and no grapheme breaking is needed.
extension Substring {
    func sdpSplit(_ separator: Unicode.Scalar, maxSplits: Int = .max, keepingEmpty: Bool = false) -> [Substring] {
        utf8.split(
            separator: UInt8(truncatingIfNeeded: separator.value), maxSplits: maxSplits,
            omittingEmptySubsequences: !keepingEmpty
        ).map { Substring($0) }
    }

    /// The words between spaces.
    var sdpWords: [Substring] { sdpSplit(" ") }

    /// The text before and after the first `separator`; no tail when it is missing.
    func sdpCut(_ separator: Unicode.Scalar) -> (head: Substring, tail: Substring?) {
        guard let index = utf8.firstIndex(of: UInt8(truncatingIfNeeded: separator.value)) else { return (self, nil) }
        return (self[..<index], self[utf8.index(after: index)...])
    }
}

extension String {
    func sdpSplit(_ separator: Unicode.Scalar, maxSplits: Int = .max, keepingEmpty: Bool = false) -> [Substring] {
        self[...].sdpSplit(separator, maxSplits: maxSplits, keepingEmpty: keepingEmpty)
    }

    var sdpWords: [Substring] { self[...].sdpWords }

    func sdpCut(_ separator: Unicode.Scalar) -> (head: Substring, tail: Substring?) { self[...].sdpCut(separator) }
}
