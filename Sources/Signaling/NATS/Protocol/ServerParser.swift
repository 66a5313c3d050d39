/// Finds a server's operations in its bytes, however they are cut.
///
/// Keeps at most one incomplete operation and one read: a line that is too long is an error before it ends, and a message that
/// is too large is skipped as it comes.
package struct ServerParser: Sendable {
    package var limits: ProtocolLimits
    private var bytes: [UInt8] = []
    /// Everything before it is consumed.
    private var start = 0
    /// No line feed is between `start` and here.
    private var searched = 0
    private var state = State.line

    private enum State {
        case line
        case message(Head)
        /// A message that is too large: as many bytes as are still to come.
        case skipping(Head, left: Int)
    }

    /// The line of a message.
    private struct Head {
        var subscription: UInt64
        /// `nil` if invalid.
        var subject: NATSSubject?
        var reply: NATSSubject?
        var isReplyValid = true
        var headers = 0
        var hasHeaders = false
        /// With the headers.
        var total = 0
    }

    /// The maximum length of an error's text in characters. It may name a subject, by which its subscription is found.
    private static let longestError = NATSSubject.maximumLength + 100

    package init(limits: ProtocolLimits = ProtocolLimits()) {
        self.limits = limits
    }

    /// The number of bytes that are kept, because their operation is not complete.
    package var unconsumed: Int { bytes.count - start }

    package mutating func append(_ more: some Collection<UInt8>) {
        if start > 0, start == bytes.count || start >= 65_536 {
            bytes.removeSubrange(..<start)
            searched = max(searched - start, 0)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next operation, or `nil` if more bytes are needed.
    package mutating func next() throws(ServerViolation) -> ServerOperation? {
        while true {
            switch state {
            case .line:
                guard let line = try takeLine() else { return nil }
                if let operation = try parse(line) { return operation }
            case .message(let head):
                guard bytes.count - start >= head.total + 2 else { return nil }
                state = .line
                return try message(head)
            case .skipping(let head, let left):
                let count = min(left, bytes.count - start)
                start += count
                searched = start
                guard count == left else {
                    state = .skipping(head, left: left - count)
                    return nil
                }
                guard bytes.count - start >= 2 else {
                    state = .skipping(head, left: 0)
                    return nil
                }
                state = .line
                try takeEnd()
                return .oversizedMessage(subscription: head.subscription, size: head.total)
            }
        }
    }

    // MARK: Lines

    private mutating func takeLine() throws(ServerViolation) -> ArraySlice<UInt8>? {
        guard let end = bytes[max(searched, start)...].firstIndex(of: 0x0A) else {
            searched = bytes.count
            guard bytes.count - start <= limit(of: bytes[start...]) else { throw .lineTooLong }
            return nil
        }
        guard end > start, bytes[end - 1] == 0x0D else { throw .badLineEnd }
        let line = bytes[start..<(end - 1)]
        guard line.count + 2 <= limit(of: line) else { throw .lineTooLong }
        start = end + 1
        searched = start
        return line
    }

    /// Only INFO may be long.
    private func limit(of line: ArraySlice<UInt8>) -> Int {
        guard let first = line.first else { return limits.line }
        return Self.isLetter(first, "I") ? limits.infoLine : limits.line
    }

    /// - Returns: `nil` for the line of a message, whose bytes follow.
    private mutating func parse(_ line: ArraySlice<UInt8>) throws(ServerViolation) -> ServerOperation? {
        let end = line.firstIndex(where: Self.isSpace) ?? line.endIndex
        let name = line[..<end]
        let rest = line[end...]
        if Self.isWord(name, "MSG") {
            try begin(rest, hasHeaders: false)
            return nil
        }
        if Self.isWord(name, "HMSG") {
            try begin(rest, hasHeaders: true)
            return nil
        }
        if Self.isWord(name, "PING") { return .ping }
        if Self.isWord(name, "PONG") { return .pong }
        if Self.isWord(name, "INFO") { return .info(Array(rest.drop(while: Self.isSpace))) }
        if Self.isWord(name, "+OK") { return .ok }
        if Self.isWord(name, "-ERR") {
            let text = String(decoding: rest, as: UTF8.self)
            let words = String(text.drop { $0 == " " || $0 == "\t" }).unquoted
            return .error(ReadableText.of(words, limit: Self.longestError))
        }
        throw .unknownOperation
    }

    private mutating func begin(_ rest: ArraySlice<UInt8>, hasHeaders: Bool) throws(ServerViolation) {
        let words = rest.split(maxSplits: 6, whereSeparator: Self.isSpace)
        let sizes = hasHeaders ? 2 : 1
        guard words.count == 2 + sizes || words.count == 3 + sizes else { throw .badArguments }
        guard let subscription = Decimal.parse(words[1]), let size = Decimal.parse(words[words.count - 1]) else {
            throw .badNumber
        }
        guard size <= UInt64(limits.announcedPayload + limits.headers) else { throw .messageTooLong }
        var head = Head(subscription: subscription, subject: NATSSubject(received: words[0]), total: Int(size))
        if hasHeaders {
            guard let headers = Decimal.parse(words[words.count - 2]) else { throw .badNumber }
            guard headers <= size else { throw .headersLongerThanMessage }
            guard headers <= UInt64(limits.headers) else { throw .headersTooLong }
            head.headers = Int(headers)
            head.hasHeaders = true
        }
        if words.count == 3 + sizes {
            head.reply = NATSSubject(received: words[2])
            head.isReplyValid = head.reply != nil
        }
        let isOversized = head.total - head.headers > limits.payload
        state = isOversized ? .skipping(head, left: head.total) : .message(head)
    }

    // MARK: Messages

    private mutating func message(_ head: Head) throws(ServerViolation) -> ServerOperation {
        let block = bytes[start..<(start + head.headers)]
        let payload = bytes[(start + head.headers)..<(start + head.total)]
        start += head.total
        searched = start
        defer { searched = start }
        let parsed: (status: NATSStatus?, headers: NATSHeaders)? =
            head.hasHeaders ? NATSHeaders.parse(block) : (nil, NATSHeaders())
        guard let parsed, let subject = head.subject, head.isReplyValid else {
            try takeEnd()
            return .invalidMessage(subscription: head.subscription)
        }
        let message = NATSMessage(
            subject: subject, reply: head.reply, headers: parsed.headers, status: parsed.status, payload: Array(payload)
        )
        try takeEnd()
        return .message(subscription: head.subscription, message)
    }

    private mutating func takeEnd() throws(ServerViolation) {
        guard bytes.count - start >= 2, bytes[start] == 0x0D, bytes[start + 1] == 0x0A else { throw .missingEnd }
        start += 2
        searched = start
    }

    // MARK: Characters

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Names of operations may be in lower case.
    private static func isWord(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        bytes.count == word.utf8CodeUnitCount
            && zip(bytes, UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)).allSatisfy {
                upper($0) == $1
            }
    }

    private static func isLetter(_ byte: UInt8, _ letter: Unicode.Scalar) -> Bool {
        upper(byte) == UInt8(ascii: letter)
    }

    private static func upper(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte - 0x20 : byte
    }
}

extension String {
    fileprivate var unquoted: String {
        count >= 2 && first == "'" && last == "'" ? String(dropFirst().dropLast()) : self
    }
}
