import RTCMedia

// Remote audio and video sections: RFC 9429, sections 5.10 and 5.11.
extension RemoteDescription {
    /// Reads an offered section, unless it is unusable: rejected, with another protocol, without a supported codec, or
    /// with a separate RTCP port.
    ///
    /// - Returns: Whether it is usable.
    mutating func readMedia(_ index: Int, capabilities: MediaCapabilities) throws(NegotiationError) -> Bool {
        let section = document.media[index]
        guard !section.isRejected, let kind = MediaKind(rawValue: section.kind),
            !capabilities[kind].codecs.isEmpty, isRTCPMultiplexed(index),
            let remote = try RemoteMedia(section, session: document.session, name: name(of: index)),
            remote.hasCommonCodec(with: capabilities[kind])
        else { return false }
        media[index] = remote
        return true
    }

    /// Reads an accepted section of an answer, if it is audio or video that was offered.
    mutating func readMedia(_ index: Int, answering offer: LocalDescription) throws(NegotiationError) {
        guard let ours = offer.media[index] else { return }
        guard let remote = try RemoteMedia(document.media[index], session: document.session, name: name(of: index))
        else {
            throw NegotiationError(
                .notOffered, "\(name(of: index)) is \(document.media[index].protocolName), and RTP was offered.")
        }
        guard remote.codecs.contains(where: { theirs in ours.codecs.contains { $0.codec.matches(theirs.codec) } })
        else {
            throw NegotiationError(
                .noCommonCodec, "\(name(of: index)) is accepted with none of the codecs that were offered.")
        }
        guard isRTCPMultiplexed(index) else {
            throw NegotiationError(
                .rtcpNotMultiplexed, "\(name(of: index)) lacks a=rtcp-mux, and there is no other port for RTCP.")
        }
        media[index] = remote
    }

    /// Whether RTCP is multiplexed, by the section itself or the first section of its group, whose transport it shares
    /// (RFC 9143, section 7.1.3).
    private func isRTCPMultiplexed(_ index: Int) -> Bool {
        if document.media[index].level.isRTCPMultiplexed { return true }
        guard let mid = group(of: index)?.mids.first, let first = mids.firstIndex(of: mid) else { return false }
        return document.media[first].level.isRTCPMultiplexed
    }

    /// Checks that sections with a common transport do not conflict in their numbers (RFC 9143, section 9), as far as
    /// we support them. No packets will come with a payload type that the answer omits, and Firefox, asked for an offer
    /// after its own answer, uses one payload type for a codec here and a retransmission there.
    ///
    /// - Parameter isOurs: Whether we support a codec of the section.
    func checkMedia(_ isOurs: (_ index: Int, RTPCodec) -> Bool) throws(NegotiationError) {
        var codecs: [UInt8: RTPCodec] = [:]
        var repeated: [UInt8: UInt8] = [:]
        var redundant: [UInt8: UInt8] = [:]
        var extensions: [UInt16: String] = [:]
        for (index, remote) in media.sorted(by: { $0.key < $1.key }) {
            let known = remote.codecs.filter { isOurs(index, $0.codec) }
            for theirs in known {
                let isSame =
                    codecs.updateValue(theirs.codec, forKey: theirs.payloadType)
                    .map { $0.isSameEncoding(as: theirs.codec) } ?? true
                guard isSame, repeated[theirs.payloadType] == nil, redundant[theirs.payloadType] == nil else {
                    throw conflict(theirs.payloadType, index)
                }
            }
            for (primary, number) in remote.retransmission where known.contains(where: { $0.payloadType == primary }) {
                guard repeated.updateValue(primary, forKey: number) ?? primary == primary, codecs[number] == nil else {
                    throw conflict(number, index)
                }
            }
            for (primary, number) in remote.redundancy where known.contains(where: { $0.payloadType == primary }) {
                guard redundant.updateValue(primary, forKey: number) ?? primary == primary, codecs[number] == nil,
                    repeated[number] == nil
                else { throw conflict(number, index) }
            }
            for each in remote.extensions {
                guard extensions.updateValue(each.uri, forKey: each.id) ?? each.uri == each.uri else {
                    throw NegotiationError(
                        .headerExtensionConflict,
                        "\(name(of: index)) gives a=extmap:\(each.id) another meaning than a section before.")
                }
            }
        }
    }

    private func conflict(_ number: UInt8, _ index: Int) -> NegotiationError {
        NegotiationError(
            .payloadTypeConflict,
            "\(name(of: index)) gives payload type \(number) another meaning than a section that shares its transport.")
    }
}

extension RTPCodec {
    fileprivate func isSameEncoding(as other: RTPCodec) -> Bool {
        kind == other.kind && clockRate == other.clockRate && channels == other.channels
            && name.lowercased() == other.name.lowercased()
    }
}
