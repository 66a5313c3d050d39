import RTCMedia
import RTCWire

/// A local audio or video section, before it is written.
struct LocalMedia: Sendable, Hashable {
    struct Codec: Sendable, Hashable {
        var payloadType: UInt8
        /// The codec in the capabilities.
        var capability: RTPCodec
        /// The codec in this description.
        var codec: RTPCodec
        var retransmission: UInt8?
        /// The payload type of redundant audio (RFC 2198).
        var redundancy: UInt8?
        /// Whether redundant audio is preferred, as in the remote offer, so that the remote peer sends it.
        var isRedundancyFirst = false

        /// In the order of the `m=` line.
        var payloadTypes: [UInt8] {
            let beginning = isRedundancyFirst ? [redundancy, payloadType] : [payloadType, redundancy]
            return (beginning + [retransmission]).compactMap(\.self)
        }
    }

    /// The payload types of error correction (RFC 5109).
    struct Protection: Sendable, Hashable {
        /// Of the packets that wrap media and parity, of their retransmissions, and of parity.
        var red: UInt8
        var retransmission: UInt8?
        var ulpfec: UInt8

        /// In the order of the `m=` line.
        var payloadTypes: [UInt8] { [red] + [retransmission, ulpfec].compactMap(\.self) }

        /// As parameters of a section, with the retransmission that both sides have.
        func parameters(retransmission: UInt8?) -> MediaSectionParameters.Protection {
            MediaSectionParameters.Protection(
                types: RTPProtectionTypes(red: RTPPayloadType(red), ulpfec: RTPPayloadType(ulpfec)),
                retransmissionPayloadType: retransmission.map(RTPPayloadType.init))
        }
    }

    struct HeaderExtension: Sendable, Hashable {
        var id: UInt8
        var uri: String
        var direction: SDPDirection
    }

    var transceiver: TransceiverID
    var kind: MediaKind
    /// The direction of the section.
    var direction: SDPDirection
    /// Whether it announces our track and source: if the transceiver wants to send, even where the offer does not allow
    /// it (RFC 9429, section 5.3.1).
    var announcesSender: Bool
    var codecs: [Codec]
    var protection: Protection?
    var extensions: [HeaderExtension]
    var sender: MediaSender
    var isRTCPReducedSize: Bool
    var allowsMixedExtensions: Bool

    /// Creates an offer for a transceiver (RFC 9429, sections 5.2.1 and 5.2.2).
    ///
    /// Negotiated codecs keep their order and payload types; the other capabilities follow.
    ///
    /// - Parameter taken: The meaning of each payload type in the other sections of this description.
    /// - Returns: `nil` when no payload type is left for any of its codecs.
    init?(
        offering transceiver: Transceiver, capabilities: MediaCapabilities.Kind, payloadTypes: inout PayloadTypeTable,
        extensions table: inout HeaderExtensionTable, taken: inout [UInt8: PayloadTypeTable.Use]
    ) {
        self.init(transceiver, direction: transceiver.direction)
        let agreed = transceiver.agreed?.codecs ?? []
        var wanted = transceiver.codecPreferences
        if wanted.isEmpty {
            wanted = agreed.map(\.capability).filter(capabilities.codecs.contains)
            wanted += capabilities.codecs.filter { !wanted.contains($0) }
        }
        func claim(_ number: UInt8?, _ use: PayloadTypeTable.Use) -> UInt8? {
            guard let number, taken[number] ?? use == use else { return nil }
            taken[number] = use
            return number
        }
        for capability in wanted {
            let before = agreed.first { $0.capability == capability }
            guard
                let number = claim(before?.payloadType, .codec(capability))
                    ?? claim(payloadTypes.assign(.codec(capability)), .codec(capability))
            else { continue }
            var codec = Codec(payloadType: number, capability: capability, codec: capability)
            if capabilities.isRetransmissionOffered {
                let use = PayloadTypeTable.Use.retransmission(of: number)
                let before = before?.payloadType == number ? before?.retransmission : nil
                codec.retransmission = claim(before, use) ?? claim(payloadTypes.assign(use), use)
            }
            if capabilities.isRedundancyOffered, capability.isRepeatable {
                let use = PayloadTypeTable.Use.redundancy(of: number)
                let before = before?.payloadType == number ? before?.redundancy : nil
                codec.redundancy = claim(before, use) ?? claim(payloadTypes.assign(use), use)
            }
            codecs.append(codec)
        }
        guard !codecs.isEmpty else { return nil }
        // The numbers of the whole session, so that sections share them.
        if capabilities.isProtectionOffered, kind == .video,
            let red = claim(payloadTypes.assign(.protectionWrapper), .protectionWrapper),
            let ulpfec = claim(payloadTypes.assign(.protectionParity), .protectionParity)
        {
            let use = PayloadTypeTable.Use.retransmission(of: red)
            protection = Protection(
                red: red,
                retransmission: capabilities.isRetransmissionOffered ? claim(payloadTypes.assign(use), use) : nil,
                ulpfec: ulpfec)
        }
        for uri in capabilities.headerExtensions {
            let before = transceiver.agreed?.extensions.first { $0.uri == uri }?.id
            guard let id = before ?? table.assign(uri), !extensions.contains(where: { $0.id == id }) else { continue }
            extensions.append(HeaderExtension(id: id, uri: uri, direction: .sendrecv))
        }
    }

    /// Creates the answer to an offered section (RFC 9429, section 5.3.1): the supported ones of its codecs and header
    /// extensions, with its numbers and in its order, unless the transceiver has codec preferences.
    ///
    /// - Returns: `nil` when there is no common codec.
    init?(answering remote: RemoteMedia, with transceiver: Transceiver, capabilities: MediaCapabilities.Kind) {
        self.init(transceiver, direction: transceiver.direction.intersection(remote.direction.reversed))
        let preferences = transceiver.codecPreferences
        let wanted = preferences.isEmpty ? capabilities.codecs : preferences
        var unused = wanted
        for theirs in remote.codecs {
            guard let index = unused.firstIndex(where: { $0.matches(theirs.codec) }) else { continue }
            let capability = unused.remove(at: index)
            codecs.append(
                Codec(
                    payloadType: theirs.payloadType, capability: capability,
                    codec: capability.answer(to: theirs.codec),
                    retransmission: capabilities.isRetransmissionOffered
                        ? remote.retransmission[theirs.payloadType] : nil))
            if capabilities.isRedundancyOffered, capability.isRepeatable,
                let redundancy = remote.redundancy[theirs.payloadType]
            {
                codecs[codecs.count - 1].redundancy = redundancy
                codecs[codecs.count - 1].isRedundancyFirst = remote.isPreferred(redundancy, to: theirs.payloadType)
            }
        }
        guard !codecs.isEmpty else { return nil }
        if !preferences.isEmpty {
            codecs = preferences.compactMap { capability in codecs.first { $0.capability == capability } }
        }
        if capabilities.isProtectionOffered, let theirs = remote.protection {
            protection = Protection(
                red: theirs.red,
                retransmission: capabilities.isRetransmissionOffered ? remote.retransmission[theirs.red] : nil,
                ulpfec: theirs.ulpfec)
        }
        for theirs in remote.extensions where capabilities.headerExtensions.contains(theirs.uri) {
            let direction = (theirs.direction ?? .sendrecv).reversed
            guard direction != .inactive, let id = UInt8(exactly: theirs.id) else { continue }
            extensions.append(HeaderExtension(id: id, uri: theirs.uri, direction: direction))
        }
        isRTCPReducedSize = remote.isRTCPReducedSize
        allowsMixedExtensions = remote.allowsMixedExtensions
    }

    private init(_ transceiver: Transceiver, direction: SDPDirection) {
        self.transceiver = transceiver.id
        kind = transceiver.kind
        self.direction = direction
        announcesSender = transceiver.direction.sends
        codecs = []
        extensions = []
        sender = transceiver.sender
        isRTCPReducedSize = true
        allowsMixedExtensions = true
    }

    func codec(_ payloadType: UInt8) -> Codec? {
        codecs.first { $0.payloadType == payloadType }
    }
}

extension RTPCodec {
    /// Whether redundant audio is supported for it.
    fileprivate var isRepeatable: Bool { format == .opus }
}

// MARK: - Agreement of local and remote sections

extension MediaSectionParameters {
    /// - Parameter isOfferer: Whether `local` is the offer and `remote` the answer.
    init?(
        local: LocalMedia, remote: RemoteMedia, isOfferer: Bool, mid: String?, mLineIndex: Int, direction: SDPDirection
    ) {
        let pairs = Self.pairs(local, remote, isOfferer: isOfferer)
        guard !pairs.isEmpty else { return nil }
        transceiver = local.transceiver
        kind = local.kind
        self.mid = mid
        self.mLineIndex = mLineIndex
        self.direction = direction
        sendCodecs = pairs.map { pair in
            var codec = pair.theirs.codec
            codec.feedback = pair.feedback
            let retransmission = pair.ours.retransmission.flatMap { _ in remote.retransmission[pair.theirs.payloadType]
            }
            var made = Codec(
                payloadType: RTPPayloadType(pair.theirs.payloadType), codec: codec,
                retransmissionPayloadType: retransmission.map(RTPPayloadType.init),
                redundancyPayloadType: pair.ours.redundancy
                    .flatMap { _ in remote.redundancy[pair.theirs.payloadType] }.map(RTPPayloadType.init))
            made.hasInbandFEC = pair.hasInbandFEC
            return made
        }
        let others = local.codecs.filter { ours in !pairs.contains { $0.ours.payloadType == ours.payloadType } }
        let received =
            pairs.map { ($0.ours, $0.feedback, $0.hasInbandFEC) } + others.map { ($0, [], false) }
        receiveCodecs = received.map { ours, feedback, hasInbandFEC in
            var codec = ours.codec
            codec.feedback = feedback
            var made = Codec(
                payloadType: RTPPayloadType(ours.payloadType), codec: codec,
                retransmissionPayloadType: ours.retransmission.map(RTPPayloadType.init),
                redundancyPayloadType: ours.redundancy.map(RTPPayloadType.init))
            made.hasInbandFEC = hasInbandFEC
            return made
        }
        if let ours = local.protection, let theirs = remote.protection {
            let retransmission = remote.retransmission[theirs.red]
            sendProtection = LocalMedia.Protection(red: theirs.red, retransmission: nil, ulpfec: theirs.ulpfec)
                .parameters(retransmission: ours.retransmission.flatMap { _ in retransmission })
            receiveProtection = ours.parameters(retransmission: ours.retransmission)
        }
        sendExtensions = []
        receiveExtensions = []
        for ours in local.extensions {
            guard let theirs = remote.extensions.first(where: { $0.uri == ours.uri }), theirs.id == ours.id else {
                continue
            }
            let way = ours.direction.intersection((theirs.direction ?? .sendrecv).reversed)
            let agreed = HeaderExtension(id: ours.id, uri: ours.uri)
            if way.sends { sendExtensions.append(agreed) }
            if way.receives { receiveExtensions.append(agreed) }
        }
        sender = local.sender
        remoteSources = remote.sources
        remoteStreamIDs = remote.streamIDs
        remoteTrackID = remote.trackID
        remoteRestrictionIDs = remote.restrictionIDs
        isRTCPReducedSize = local.isRTCPReducedSize && remote.isRTCPReducedSize
        maximumSendBitrate = remote.maximumBitrate
    }

    private struct Pair {
        var ours: LocalMedia.Codec
        var theirs: RemoteMedia.Codec

        /// Whether both sides decode the copies that a frame of Opus may carry.
        var hasInbandFEC: Bool {
            [ours.codec, theirs.codec].allSatisfy { FormatParameters($0.formatParameters)["useinbandfec"] == "1" }
        }

        /// The feedback types that both sides support.
        var feedback: [String] {
            ours.codec.feedback.filter { mine in
                theirs.codec.feedback.contains { $0.lowercased() == mine.lowercased() }
            }
        }
    }

    /// The common codecs in the order of the answer.
    private static func pairs(_ local: LocalMedia, _ remote: RemoteMedia, isOfferer: Bool) -> [Pair] {
        guard isOfferer else {
            return local.codecs.compactMap { ours in
                remote.codecs.first { $0.payloadType == ours.payloadType }.map { Pair(ours: ours, theirs: $0) }
            }
        }
        var pairs: [Pair] = []
        for theirs in remote.codecs {
            let unused = local.codecs.filter { ours in !pairs.contains { $0.ours.payloadType == ours.payloadType } }
            // The payload types should be equal, but some answers use their own.
            let ours =
                unused.first { $0.payloadType == theirs.payloadType && $0.codec.matches(theirs.codec) }
                ?? unused.first { $0.codec.matches(theirs.codec) }
            if let ours { pairs.append(Pair(ours: ours, theirs: theirs)) }
        }
        return pairs
    }
}
