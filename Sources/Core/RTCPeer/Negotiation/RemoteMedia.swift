import RTCMedia
import RTCWire

/// The contents of a remote audio or video section.
struct RemoteMedia: Sendable {
    struct Protection: Sendable, Hashable {
        /// The payload types of the packets that wrap, and of the parity in them.
        var red: UInt8
        var ulpfec: UInt8
    }

    struct Codec: Sendable {
        var payloadType: UInt8
        var codec: RTPCodec
    }

    var kind: MediaKind
    /// The direction from the remote point of view.
    var direction: SDPDirection
    /// In the order of the `m=` line, without retransmission and redundant audio.
    var codecs: [Codec] = []
    /// The retransmission payload type of each primary payload type.
    var retransmission: [UInt8: UInt8] = [:]
    /// The redundant-audio payload type of each primary payload type (RFC 2198).
    var redundancy: [UInt8: UInt8] = [:]
    /// The payload types of error correction, if there are both (RFC 5109).
    var protection: Protection?
    /// The payload types in the order of the `m=` line.
    private var order: [UInt8] = []
    /// In their order, with each number and each URI once.
    var extensions: [SDPExtensionMap] = []
    var streamIDs: [String] = []
    var trackID: String?
    var sources: [MediaSectionParameters.RemoteSource] = []
    var restrictionIDs: [String] = []
    var isRTCPMultiplexed: Bool
    var isRTCPReducedSize: Bool
    var allowsMixedExtensions: Bool
    var maximumBitrate: UInt64?

    /// The profiles of RFC 9429, section 5.1.3. All mean DTLS-SRTP here, since a fingerprint is required.
    static let protocols: Set<String> = [
        "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP",
        "RTP/AVPF", "RTP/AVP",
    ]

    /// Returns `nil` for a section that is neither audio nor video, or not RTP.
    ///
    /// - Throws: An error for conflicting numbers or too many entries.
    init?(_ section: SDPMediaSection, session: SDPLevel, name: String) throws(NegotiationError) {
        guard let kind = MediaKind(rawValue: section.kind), Self.protocols.contains(section.protocolName) else {
            return nil
        }
        let level = section.level
        self.kind = kind
        direction = level.direction ?? session.direction ?? .sendrecv
        isRTCPMultiplexed = level.isRTCPMultiplexed
        isRTCPReducedSize = level.isRTCPReducedSize
        allowsMixedExtensions = level.allowsMixedExtensions || session.allowsMixedExtensions
        try readCodecs(of: section, name)
        try readExtensions(of: level, name)
        readSources(of: level)
        readStreams(of: level)
        restrictionIDs = level.restrictions.filter { $0.direction == .send }.map(\.id)
        maximumBitrate = level.maximumBitrate
    }
}

// MARK: - Codecs

extension RemoteMedia {
    private mutating func readCodecs(of section: SDPMediaSection, _ name: String) throws(NegotiationError) {
        var maps: [UInt8: SDPRTPMap] = [0: Self.pcmu, 8: Self.pcma]
        var named: Set<UInt8> = []
        for map in section.level.rtpMaps {
            guard named.insert(map.payloadType).inserted || maps[map.payloadType] == map else {
                throw NegotiationError(
                    .payloadTypeConflict, "\(name) says of payload type \(map.payloadType) that it is two codecs.")
            }
            maps[map.payloadType] = map
        }
        var parameters: [UInt8: String] = [:]
        for each in section.level.formatParameters {
            guard let number = UInt8(sdpDecimal: each.format), parameters[number] == nil else { continue }
            guard each.parameters.utf8.count <= SDPLimits.formatParametersSize else {
                throw NegotiationError(
                    .invalidMedia,
                    "\(name) has an a=fmtp of more than \(SDPLimits.formatParametersSize) bytes for payload type \(number)."
                )
            }
            parameters[number] = each.parameters
        }
        var feedback: [UInt8: [String]] = [:]
        var feedbackOfAll: [String] = []
        for each in section.level.rtcpFeedback {
            let text = each.type + (each.parameter.map { " \($0)" } ?? "")
            if let number = each.payloadType {
                feedback[number, default: []].append(text)
            } else {
                feedbackOfAll.append(text)
            }
        }
        var seen: Set<UInt8> = []
        var redundant: [(primary: UInt8, codec: Codec)] = []
        for format in section.formats {
            guard let number = UInt8(sdpDecimal: format), number < 128, !PayloadTypeTable.isAmbiguous(number),
                seen.insert(number).inserted, let map = maps[number], map.clockRate > 0
            else { continue }
            if map.encodingName.lowercased() == "rtx" {
                let apt = SDPFormatParameters(format: "", parameters: parameters[number] ?? "")["apt"]
                guard let apt, let primary = UInt8(sdpDecimal: apt), retransmission[primary] == nil else { continue }
                retransmission[primary] = number
                continue
            }
            let codec = RTPCodec(
                kind: kind, name: map.encodingName, clockRate: map.clockRate,
                channels: Int(clamping: map.channels ?? 1), formatParameters: parameters[number] ?? "",
                feedback: (feedback[number] ?? []) + feedbackOfAll)
            order.append(number)
            if codec.isRedundancy, let primary = Self.primary(ofRedundancy: codec.formatParameters) {
                redundant.append((primary, Codec(payloadType: number, codec: codec)))
            } else {
                codecs.append(Codec(payloadType: number, codec: codec))
            }
        }
        if let red = codecs.first(where: { $0.codec.isProtectionWrapper }),
            let ulpfec = codecs.first(where: { $0.codec.isProtectionParity })
        {
            protection = Protection(red: red.payloadType, ulpfec: ulpfec.payloadType)
        }
        for (primary, red) in redundant {
            // Even without a usable primary, the payload type stays reserved.
            let isUsable = codec(primary)?.clockRate == red.codec.clockRate && redundancy[primary] == nil
            if isUsable { redundancy[primary] = red.payloadType } else { codecs.append(red) }
        }
    }

    /// The common payload type of all blocks, as in `111/111` (RFC 2198, section 5); `nil` if they differ.
    private static func primary(ofRedundancy parameters: String) -> UInt8? {
        let types = parameters.sdpSplit("/", keepingEmpty: true).map { UInt8(sdpDecimal: $0) }
        guard let first = types.first, let first, first < 128, types.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// Whether a payload type comes before another.
    func isPreferred(_ one: UInt8, to other: UInt8) -> Bool {
        guard let place = order.firstIndex(of: one), let otherPlace = order.firstIndex(of: other) else { return false }
        return place < otherPlace
    }

    /// The codecs that need no `a=rtpmap` (RFC 3551, section 6).
    private static let pcmu = SDPRTPMap(payloadType: 0, encodingName: "PCMU", clockRate: 8_000)
    private static let pcma = SDPRTPMap(payloadType: 8, encodingName: "PCMA", clockRate: 8_000)

    func codec(_ payloadType: UInt8) -> RTPCodec? {
        codecs.first { $0.payloadType == payloadType }?.codec
    }

    /// Whether any of its codecs is supported.
    func hasCommonCodec(with capabilities: MediaCapabilities.Kind) -> Bool {
        codecs.contains { theirs in capabilities.codecs.contains { $0.matches(theirs.codec) } }
    }
}

// MARK: - Header extensions, sources, streams

extension RemoteMedia {
    private mutating func readExtensions(of level: SDPLevel, _ name: String) throws(NegotiationError) {
        var numbers: [UInt16: String] = [:]
        var uris: Set<String> = []
        for each in level.extensionMaps {
            // 4096 to 4351 mean "any number" (RFC 8285, section 7), which is not used in practice.
            if (4_096...4_351).contains(each.id) { continue }
            guard (1...255).contains(each.id) else {
                throw NegotiationError(
                    .headerExtensionConflict, "\(name) has a=extmap:\(each.id); numbers are 1 to 255.")
            }
            guard numbers.updateValue(each.uri, forKey: each.id) ?? each.uri == each.uri else {
                throw NegotiationError(
                    .headerExtensionConflict, "\(name) gives a=extmap:\(each.id) to two header extensions.")
            }
            if uris.insert(each.uri).inserted { extensions.append(each) }
        }
    }

    private mutating func readSources(of level: SDPLevel) {
        var indices: [UInt32: Int] = [:]
        var repeated: [UInt32: UInt32] = [:]
        for group in level.sourceGroups where group.semantics == "FID" && group.ssrcs.count == 2 {
            repeated[group.ssrcs[1]] = group.ssrcs[0]
        }
        func index(of ssrc: UInt32, in sources: inout [MediaSectionParameters.RemoteSource]) -> Int? {
            if let index = indices[ssrc] { return index }
            guard sources.count < SDPLimits.sourcesPerSection else { return nil }
            sources.append(.init(ssrc: SynchronizationSource(ssrc)))
            indices[ssrc] = sources.count - 1
            return sources.count - 1
        }
        for source in level.sources where repeated[source.ssrc] == nil {
            guard let index = index(of: source.ssrc, in: &sources) else { break }
            if source.attribute == "cname", sources[index].cname == nil { sources[index].cname = source.value }
        }
        for group in level.sourceGroups where group.semantics == "FID" && group.ssrcs.count == 2 {
            guard group.ssrcs[0] != group.ssrcs[1], let index = index(of: group.ssrcs[0], in: &sources) else {
                continue
            }
            sources[index].retransmissionSSRC = sources[index].retransmissionSSRC ?? .init(group.ssrcs[1])
        }
    }

    private mutating func readStreams(of level: SDPLevel) {
        var identifiers = level.mediaStreams
        if identifiers.isEmpty {
            // The syntax before RFC 8830.
            let old = level.sources.first { $0.attribute == "msid" }?.value
            identifiers = old.flatMap(SDPMediaStreamIdentifier.init).map { [$0] } ?? []
        }
        for identifier in identifiers {
            if trackID == nil { trackID = identifier.track }
            if identifier.stream != "-", !streamIDs.contains(identifier.stream),
                streamIDs.count < SDPLimits.streamsPerSection
            {
                streamIDs.append(identifier.stream)
            }
        }
    }
}

extension SDPLevel {
    /// `b=TIAS` (RFC 3890), or else `b=AS` (RFC 8866, section 5.8), in bits a second.
    fileprivate var maximumBitrate: UInt64? {
        func value(_ name: String) -> UInt64? {
            for case .field(UInt8(ascii: "b"), let text) in lines {
                let (head, tail) = text.sdpCut(":")
                if head == name, let tail { return UInt64(sdpDecimal: tail) }
            }
            return nil
        }
        if let bits = value("TIAS") { return bits }
        return value("AS").map { $0.multipliedReportingOverflow(by: 1_000) }.flatMap {
            $0.overflow ? nil : $0.partialValue
        }
    }
}
