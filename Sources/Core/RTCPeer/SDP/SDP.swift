/// A session description as a document (RFC 8866).
///
/// All lines are kept in order, so that a parsed description is written again byte for byte, except for line ends,
/// which are always CRLF. The attributes that the engine understands are also parsed, beside their text:
/// ``SDPAttribute/content``.
///
///     v=0
///     o=- 4611731400430051336 2 IN IP4 127.0.0.1        origin
///     s=-                                               name
///     t=0 0                                             session: the lines up to the first "m="
///     a=group:BUNDLE 0
///     m=application 9 UDP/DTLS/SCTP webrtc-datachannel  media: one for each "m="
///     a=mid:0
///     …
package struct SDP: Sendable, Hashable {
    /// `o=`
    package var origin: SDPOrigin
    /// `s=`
    package var name: String
    /// The lines after `s=` that apply to the whole session.
    package var session: SDPLevel
    /// The `m=` sections.
    package var media: [SDPMediaSection]

    package init(origin: SDPOrigin, name: String = "-", session: SDPLevel = SDPLevel(), media: [SDPMediaSection] = []) {
        self.origin = origin
        self.name = name
        self.session = session
        self.media = media
    }

    /// Parses a description whose lines end in CRLF or LF; the last end may be missing.
    ///
    /// - Throws: ``SDPError`` with the first line that is wrong. ``SDPLimits`` bounds what is read.
    package init(parsing text: String) throws(SDPError) {
        var parser = SDPParser()
        self = try parser.parse(text)
    }

    /// The text, each line ended by CRLF.
    package var serialized: String {
        var text = "v=0\r\no=\(origin)\r\ns=\(name)\r\n"
        session.write(to: &text)
        for section in media {
            text += "m=\(section.mediaLine)\r\n"
            section.level.write(to: &text)
        }
        return text
    }

    /// The index of the section with this `a=mid`.
    package func index(ofMid mid: String) -> Int? {
        media.firstIndex { $0.level.mid == mid }
    }
}

/// The origin and version of a description (RFC 8866, section 5.2).
///
///     o=<username> <sess-id> <sess-version> <nettype> <addrtype> <unicast-address>
///
/// The numbers are kept as text: nothing depends on those of the other side, and some exceed 64 bits.
package struct SDPOrigin: Sendable, Hashable, CustomStringConvertible {
    package var username: String
    package var sessionID: String
    package var sessionVersion: String
    package var networkType: String
    package var addressType: String
    package var address: String

    /// - Parameters:
    ///   - sessionID: Below 2^63, for parsers that use a signed number (RFC 9429, section 5.2.1).
    ///   - sessionVersion: Grows with every description that differs from the one before.
    package init(sessionID: UInt64, sessionVersion: UInt64) {
        username = "-"
        self.sessionID = String(sessionID)
        self.sessionVersion = String(sessionVersion)
        networkType = "IN"
        addressType = "IP4"
        // Unused, and a local address would reveal our location.
        address = "127.0.0.1"
    }

    init?(_ value: String) {
        let words = value.sdpSplit(" ", keepingEmpty: true).map(String.init)
        guard words.count == 6, words.allSatisfy({ !$0.isEmpty }) else { return nil }
        username = words[0]
        sessionID = words[1]
        sessionVersion = words[2]
        networkType = words[3]
        addressType = words[4]
        address = words[5]
    }

    package var description: String {
        "\(username) \(sessionID) \(sessionVersion) \(networkType) \(addressType) \(address)"
    }
}

/// One `m=` section (RFC 8866, section 5.14).
///
///     m=<media> <port>["/"<number of ports>] <proto> <fmt> …
package struct SDPMediaSection: Sendable, Hashable {
    /// `audio`, `video`, `application`, …
    package var kind: String
    /// 0 rejects the section, or means that it has no transport of its own (`a=bundle-only`).
    package var port: UInt16
    /// The text after the port's slash, if any.
    package var portCount: String?
    /// Such as `UDP/TLS/RTP/SAVPF` and `UDP/DTLS/SCTP`.
    package var protocolName: String
    /// RTP payload types, or `webrtc-datachannel`. At least one.
    package var formats: [String]
    /// The lines that follow.
    package var level: SDPLevel

    package init(kind: String, port: UInt16, protocolName: String, formats: [String], level: SDPLevel = SDPLevel()) {
        self.kind = kind
        self.port = port
        self.portCount = nil
        self.protocolName = protocolName
        self.formats = formats
        self.level = level
    }

    /// The value of the `m=` line.
    package var mediaLine: String {
        let ports = portCount.map { "\(port)/\($0)" } ?? String(port)
        return "\(kind) \(ports) \(protocolName) \(formats.joined(separator: " "))"
    }

    /// Whether the section is refused or closed: port 0, and not because its transport is another section's.
    package var isRejected: Bool { port == 0 && !level.isBundleOnly }

    init?(mediaLine value: String) {
        let words = value.sdpSplit(" ", keepingEmpty: true).map(String.init)
        guard words.count >= 4, words.allSatisfy({ !$0.isEmpty }) else { return nil }
        let ports = words[1].sdpSplit("/", maxSplits: 1, keepingEmpty: true)
        guard let port = UInt16(sdpDecimal: ports[0]) else { return nil }
        if ports.count == 2 {
            guard UInt32(sdpDecimal: ports[1]) != nil else { return nil }
            portCount = String(ports[1])
        } else {
            portCount = nil
        }
        kind = words[0]
        self.port = port
        protocolName = words[2]
        formats = Array(words[3...])
        level = SDPLevel()
    }
}
