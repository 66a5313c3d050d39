import RTCWire

extension ICECandidate {
    /// Parses a candidate-attribute (RFC 8839, section 5.1), with or without `a=` before it:
    ///
    /// ```
    /// candidate:<foundation> <component> <transport> <priority> <address> <port> typ <type>
    ///     [raddr <address>] [rport <port>] [tcptype <type>] [ufrag <fragment>] *(<name> <value>)
    /// ```
    ///
    /// Tokens are compared without regard to case. A line of more than 1,024 bytes is refused.
    ///
    /// - Throws: ``ICECandidateError`` that names the field which is wrong.
    package init(parsing text: String) throws(ICECandidateError) {
        guard text.utf8.count <= 1_024 else { throw ICECandidateError(.tooLong) }
        var line = text[...]
        while let last = line.last, last.isWhitespace { line.removeLast() }
        if line.hasPrefix("a=") { line = line.dropFirst(2) }
        guard line.utf8.count > 10, line.prefix(10).lowercased() == "candidate:" else {
            throw ICECandidateError(.notACandidate)
        }
        // A line break would inject a line into the description that carries the candidate.
        guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw ICECandidateError(.controlCharacter) }
        let tokens = line.dropFirst(10).split(separator: " ", omittingEmptySubsequences: true)
        guard tokens.count >= 8, tokens.count % 2 == 0 else { throw ICECandidateError(.missingField) }

        guard (1...32).contains(tokens[0].utf8.count), tokens[0].utf8.allSatisfy(ICECredentials.isICECharacter) else {
            throw ICECandidateError(.foundation)
        }
        guard let component = Self.number(tokens[1], below: 257), component > 0 else {
            throw ICECandidateError(.component)
        }
        guard let transport = ICETransportProtocol(rawValue: tokens[2].lowercased()) else {
            throw ICECandidateError(.transport)
        }
        guard let priority = Self.number(tokens[3], below: 1 << 32) else { throw ICECandidateError(.priority) }
        guard let port = Self.number(tokens[5], below: 65_536) else { throw ICECandidateError(.port) }
        guard tokens[6].lowercased() == "typ", let type = ICECandidateType(rawValue: tokens[7].lowercased()) else {
            throw ICECandidateError(.type)
        }
        self.init(
            foundation: String(tokens[0]), component: UInt16(component), transport: transport,
            priority: UInt32(priority), address: try Self.address(tokens[4]), port: UInt16(port), type: type)
        try parseAttributes(tokens[8...])
    }

    private mutating func parseAttributes(_ tokens: ArraySlice<Substring>) throws(ICECandidateError) {
        var index = tokens.startIndex
        while index + 1 < tokens.endIndex {
            let (name, value) = (tokens[index], tokens[index + 1])
            index += 2
            switch name.lowercased() {
            case "raddr":
                // A host name or an invalid value is ignored: the field is for diagnosis only.
                relatedAddress = IPAddress(String(value))
            case "rport":
                relatedPort = Self.number(value, below: 65_536).map { UInt16($0) }
            case "tcptype":
                guard let type = ICETCPCandidateType(rawValue: value.lowercased()) else {
                    throw ICECandidateError(.tcpType)
                }
                tcpType = type
            case "ufrag":
                usernameFragment = String(value)
            default:
                extensions.append(ICECandidateExtension(name: String(name), value: String(value)))
            }
        }
    }

    private static func address(_ token: Substring) throws(ICECandidateError) -> ICECandidateAddress {
        // A zone ("%eth0") is meaningful to the sender only.
        let text = String(token.prefix { $0 != "%" })
        if let ip = IPAddress(text) { return .ip(ip) }
        let isName =
            token.utf8.count <= 255 && !token.utf8.contains(UInt8(ascii: ":"))
            && token.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            && token.utf8.contains { !(48...57).contains($0) && $0 != UInt8(ascii: ".") }
        guard isName else { throw ICECandidateError(.address) }
        return .name(String(token))
    }

    /// Parses digits only: `UInt64.init` would accept a sign too.
    private static func number(_ token: Substring, below bound: UInt64) -> UInt64? {
        guard (1...10).contains(token.utf8.count), token.utf8.allSatisfy({ (48...57).contains($0) }),
            let value = UInt64(token), value < bound
        else { return nil }
        return value
    }
}

extension ICECandidate: CustomStringConvertible {
    /// The candidate-attribute without `a=`, as it stands in SDP and in a W3C `RTCIceCandidate`.
    package var description: String {
        var line = "candidate:\(foundation) \(component) \(transport.rawValue) \(priority) \(address) \(port)"
        line += " typ \(type.rawValue)"
        if let relatedAddress { line += " raddr \(relatedAddress)" }
        if let relatedPort { line += " rport \(relatedPort)" }
        if let tcpType { line += " tcptype \(tcpType.rawValue)" }
        for attribute in extensions { line += " \(attribute.name) \(attribute.value)" }
        if let usernameFragment { line += " ufrag \(usernameFragment)" }
        return line
    }
}

extension ICECandidateAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ip(let ip): ip.description
        case .name(let name): name
        }
    }
}

/// Why a candidate line cannot be used.
package struct ICECandidateError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        case notACandidate, tooLong, missingField, foundation, component, transport, priority, address, port, type
        case tcpType, controlCharacter
    }

    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    package var description: String {
        switch code {
        case .notACandidate: "The line does not begin with \"candidate:\"; pass the attribute as the peer sent it."
        case .tooLong: "The candidate has more than 1,024 bytes; no valid one has."
        case .missingField: "The candidate lacks a field, or its last attribute has no value."
        case .controlCharacter: "The candidate holds a line break or another control character; pass one line alone."
        default: "The candidate's \(code.rawValue) is not what RFC 8839 allows; pass the attribute as the peer sent it."
        }
    }
}
