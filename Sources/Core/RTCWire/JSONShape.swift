/// A look at JSON from a stranger before Foundation reads it, which would accept 512 levels and thousands of unknown members.
package enum JSONShape {
    package static let maximumDepth = 16
    /// The total number of members and elements.
    package static let maximumCount = 1_024

    /// Whether nesting and number of values are within the limits, and no byte is zero. Says nothing about the rest.
    ///
    /// JSON in UTF-8 has no such byte (RFC 8259, section 7). Foundation also reads UTF-16 and UTF-32, which have: there, halves of other
    /// characters look like quotation marks, behind which nothing would be counted.
    package static func isWithinLimits(_ bytes: some Collection<UInt8>, count limit: Int = maximumCount) -> Bool {
        // Not by the collection's iterator, which costs some hundred instructions a byte where this is not specialized.
        bytes.withContiguousStorageIfAvailable { isWithinLimits(in: $0, limit) }
            ?? Array(bytes).withUnsafeBufferPointer { isWithinLimits(in: $0, limit) }
    }

    private static func isWithinLimits(in bytes: UnsafeBufferPointer<UInt8>, _ limit: Int) -> Bool {
        var depth = 0
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if byte == 0 { return false }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                count += 1
                if depth > maximumDepth || count > limit { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","):
                count += 1
                if count > limit { return false }
            default: continue
            }
        }
        return true
    }
}
