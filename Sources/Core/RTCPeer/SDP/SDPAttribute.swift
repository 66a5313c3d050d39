package import RTCTransport

/// One `a=` line: its text, and its meaning if the engine knows the attribute.
///
/// The text is what is written; ``content`` is parsed from it once. An unknown attribute, or a malformed line of a
/// media attribute, is kept.
package struct SDPAttribute: Sendable, Hashable {
    /// The text before the colon.
    package let name: String
    /// The text after the colon; `nil` without one.
    package let value: String?
    package let content: Content

    /// The meaning of an attribute.
    package enum Content: Sendable, Hashable {
        /// Not known to the engine.
        case other
        /// A known media attribute whose value does not conform to its RFC. Code that needs it must refuse the section;
        /// all other code ignores it.
        case malformed

        // The session and its sections

        /// `a=group` (RFC 5888)
        case group(SDPGroup)
        /// `a=mid` (RFC 5888)
        case mid(String)
        /// `a=bundle-only` (RFC 9143)
        case bundleOnly
        /// `a=extmap-allow-mixed` (RFC 8285)
        case extensionMapAllowMixed

        // The transport

        /// `a=ice-ufrag` (RFC 8839)
        case iceUsernameFragment(String)
        /// `a=ice-pwd` (RFC 8839)
        case icePassword(String)
        /// `a=ice-options` (RFC 8839)
        case iceOptions([String])
        /// `a=ice-lite` (RFC 8839)
        case iceLite
        /// `a=candidate` (RFC 8839): the value with `candidate:` before it, as trickled candidates have it.
        case candidate(String)
        /// `a=end-of-candidates` (RFC 8838)
        case endOfCandidates
        /// `a=fingerprint` (RFC 8122). One with an unknown hash function is ``other``.
        case fingerprint(Fingerprint)
        /// `a=setup` (RFC 4145)
        case setup(SetupRole)
        /// `a=tls-id` (RFC 8842)
        case tlsID(String)
        /// `a=rtcp-mux` (RFC 5761)
        case rtcpMux
        /// `a=rtcp-mux-only` (RFC 8858)
        case rtcpMuxOnly
        /// `a=rtcp-rsize` (RFC 5506)
        case rtcpReducedSize

        // Data channels

        /// `a=sctp-port` (RFC 8841)
        case sctpPort(UInt16)
        /// `a=max-message-size` (RFC 8841), in bytes; 0 for any size.
        case maximumMessageSize(UInt64)
        /// `a=sctpmap`, of drafts before RFC 8841
        case sctpMap(SDPSCTPMap)

        // Media

        /// `a=sendrecv`, `a=sendonly`, `a=recvonly` and `a=inactive` (RFC 8866)
        case direction(SDPDirection)
        /// `a=rtpmap` (RFC 8866)
        case rtpMap(SDPRTPMap)
        /// `a=fmtp` (RFC 8866)
        case formatParameters(SDPFormatParameters)
        /// `a=rtcp-fb` (RFC 4585)
        case rtcpFeedback(SDPRTCPFeedback)
        /// `a=extmap` (RFC 8285)
        case extensionMap(SDPExtensionMap)
        /// `a=msid` (RFC 8830)
        case msid(SDPMediaStreamIdentifier)
        /// `a=ssrc` (RFC 5576)
        case source(SDPSource)
        /// `a=ssrc-group` (RFC 5576)
        case sourceGroup(SDPSourceGroup)
        /// `a=rid` (RFC 8851)
        case restriction(SDPRestriction)
        /// `a=simulcast` (RFC 8853)
        case simulcast(SDPSimulcast)
        /// `a=ptime` (RFC 8866), in milliseconds
        case packetTime(UInt32)
        /// `a=maxptime` (RFC 8866), in milliseconds
        case maximumPacketTime(UInt32)
    }

    /// Creates an attribute, known or unknown, from its text.
    ///
    /// `nil` if it is malformed: a name that is not a token, a byte that is not allowed in a line, or an invalid value
    /// of a transport attribute.
    package init?(name: String, value: String?) {
        guard SDPText.isToken(name), value.map(SDPText.isLine) ?? true else { return nil }
        try? self.init(checkedName: name, value: value)
    }

    /// The attribute with this meaning, written as its RFC writes it.
    package init(_ content: Content) {
        self.content = content
        (name, value) = content.text
    }

    /// - Throws: The error in the value.
    init(checkedName name: String, value: String?) throws(SDPValueError) {
        self.name = name
        self.value = value
        self.content = try Content(name: name, value: value)
    }
}

/// The error in an attribute value. The parser adds the line number.
struct SDPValueError: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension SDPAttribute.Content {
    /// Parses the value of the attribute `name`.
    ///
    /// Values that identify sections or belong to the transport must be valid, since an error there could lead to a
    /// wrong connection; of media attributes, only those in use must be.
    init(name: String, value: String?) throws(SDPValueError) {
        switch name {
        case "group": self = .group(try SDPGroup(Self.required(value, name)))
        case "mid": self = .mid(try Self.token(value, name))
        case "bundle-only": self = .bundleOnly
        case "ice-ufrag": self = .iceUsernameFragment(try Self.iceCharacters(value, name, 4...256))
        case "ice-pwd": self = .icePassword(try Self.iceCharacters(value, name, 22...256))
        case "ice-options": self = .iceOptions(try Self.required(value, name).sdpWords.map(String.init))
        case "ice-lite": self = .iceLite
        case "candidate": self = .candidate("candidate:" + (try Self.required(value, name)))
        case "end-of-candidates": self = .endOfCandidates
        case "fingerprint": self = try Self.fingerprint(Self.required(value, name))
        case "setup":
            guard let role = SetupRole(rawValue: try Self.required(value, name)) else {
                throw SDPValueError("a=setup is actpass, active, passive or holdconn")
            }
            self = .setup(role)
        case "tls-id": self = .tlsID(try Self.token(value, name))
        case "sctp-port": self = .sctpPort(try Self.number(value, name))
        case "max-message-size": self = .maximumMessageSize(try Self.number(value, name))
        case "sctpmap": self = Self.media(value, SDPSCTPMap.init) { .sctpMap($0) }
        case "rtcp-mux": self = .rtcpMux
        case "rtcp-mux-only": self = .rtcpMuxOnly
        case "rtcp-rsize": self = .rtcpReducedSize
        case "extmap-allow-mixed": self = .extensionMapAllowMixed
        case "sendrecv", "sendonly", "recvonly", "inactive":
            self = SDPDirection(rawValue: name).map { .direction($0) } ?? .other
        case "rtpmap": self = Self.media(value, SDPRTPMap.init) { .rtpMap($0) }
        case "fmtp": self = Self.media(value, SDPFormatParameters.init) { .formatParameters($0) }
        case "rtcp-fb": self = Self.media(value, SDPRTCPFeedback.init) { .rtcpFeedback($0) }
        case "extmap": self = Self.media(value, SDPExtensionMap.init) { .extensionMap($0) }
        case "msid": self = Self.media(value, SDPMediaStreamIdentifier.init) { .msid($0) }
        case "ssrc": self = Self.media(value, SDPSource.init) { .source($0) }
        case "ssrc-group": self = Self.media(value, SDPSourceGroup.init) { .sourceGroup($0) }
        case "rid": self = Self.media(value, SDPRestriction.init) { .restriction($0) }
        case "simulcast": self = Self.media(value, SDPSimulcast.init) { .simulcast($0) }
        case "ptime": self = Self.media(value, { UInt32(sdpDecimal: $0) }) { .packetTime($0) }
        case "maxptime": self = Self.media(value, { UInt32(sdpDecimal: $0) }) { .maximumPacketTime($0) }
        default: self = .other
        }
    }

    /// The name and value as text.
    var text: (name: String, value: String?) {
        switch self {
        // Neither has a text of its own; such attributes are created from their text.
        case .other, .malformed: ("x-unknown", nil)
        case .group(let group): ("group", group.description)
        case .mid(let mid): ("mid", mid)
        case .bundleOnly: ("bundle-only", nil)
        case .extensionMapAllowMixed: ("extmap-allow-mixed", nil)
        case .iceUsernameFragment(let text): ("ice-ufrag", text)
        case .icePassword(let text): ("ice-pwd", text)
        case .iceOptions(let options): ("ice-options", options.joined(separator: " "))
        case .iceLite: ("ice-lite", nil)
        case .candidate(let text): ("candidate", String(text.hasPrefix("candidate:") ? text.dropFirst(10) : text[...]))
        case .endOfCandidates: ("end-of-candidates", nil)
        case .fingerprint(let fingerprint): ("fingerprint", fingerprint.attributeValue)
        case .setup(let role): ("setup", role.rawValue)
        case .tlsID(let text): ("tls-id", text)
        case .rtcpMux: ("rtcp-mux", nil)
        case .rtcpMuxOnly: ("rtcp-mux-only", nil)
        case .rtcpReducedSize: ("rtcp-rsize", nil)
        case .sctpPort(let port): ("sctp-port", String(port))
        case .maximumMessageSize(let size): ("max-message-size", String(size))
        case .sctpMap(let map): ("sctpmap", map.description)
        case .direction(let direction): (direction.rawValue, nil)
        case .rtpMap(let map): ("rtpmap", map.description)
        case .formatParameters(let parameters): ("fmtp", parameters.description)
        case .rtcpFeedback(let feedback): ("rtcp-fb", feedback.description)
        case .extensionMap(let map): ("extmap", map.description)
        case .msid(let identifier): ("msid", identifier.description)
        case .source(let source): ("ssrc", source.description)
        case .sourceGroup(let group): ("ssrc-group", group.description)
        case .restriction(let restriction): ("rid", restriction.description)
        case .simulcast(let simulcast): ("simulcast", simulcast.description)
        case .packetTime(let milliseconds): ("ptime", String(milliseconds))
        case .maximumPacketTime(let milliseconds): ("maxptime", String(milliseconds))
        }
    }

    private static func required(_ value: String?, _ name: String) throws(SDPValueError) -> String {
        guard let value, !value.isEmpty else { throw SDPValueError("a=\(name) has no value") }
        return value
    }

    private static func token(_ value: String?, _ name: String) throws(SDPValueError) -> String {
        let value = try required(value, name)
        guard SDPText.isToken(value), value.utf8.count <= 255 else {
            throw SDPValueError("a=\(name) is not a token of at most 255 characters")
        }
        return value
    }

    /// Characters of ICE credentials (RFC 8839, section 5.4).
    private static func iceCharacters(
        _ value: String?, _ name: String, _ count: ClosedRange<Int>
    ) throws(SDPValueError) -> String {
        let value = try required(value, name)
        guard count.contains(value.utf8.count) else {
            throw SDPValueError(
                "a=\(name) needs \(count.lowerBound) to \(count.upperBound) characters and has \(value.utf8.count)")
        }
        guard SDPText.isLenientICECharacters(value) else {
            throw SDPValueError("a=\(name) has a character that no ICE credential may have")
        }
        return value
    }

    private static func number<Number: FixedWidthInteger>(_ value: String?, _ name: String) throws(SDPValueError)
        -> Number
    {
        guard let number = Number(sdpDecimal: try required(value, name)) else {
            throw SDPValueError("a=\(name) is not a number from 0 to \(Number.max)")
        }
        return number
    }

    private static func fingerprint(_ value: String) throws(SDPValueError) -> SDPAttribute.Content {
        if let fingerprint = Fingerprint(value) { return .fingerprint(fingerprint) }
        let algorithm = value.prefix { $0 != " " }.lowercased()
        // An unknown hash function is not an error: the remote peer may announce another fingerprint as well.
        guard DigestAlgorithm(rawValue: algorithm) == nil else {
            throw SDPValueError("a=fingerprint is not a \(algorithm) digest")
        }
        return .other
    }

    private static func media<Value>(
        _ text: String?, _ parse: (String) -> Value?, _ content: (Value) -> SDPAttribute.Content
    ) -> SDPAttribute.Content {
        guard let text, let value = parse(text) else { return .malformed }
        return content(value)
    }
}
