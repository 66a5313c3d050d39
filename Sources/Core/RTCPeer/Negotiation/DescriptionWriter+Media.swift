import RTCMedia
import RTCTransport
import RTCWire

// Audio and video sections: RFC 9429, sections 5.2.1 and 5.3.1.
extension DescriptionWriter {
    /// - Parameter model: The remote section, or an earlier local one, whose protocol is kept.
    func writeMedia(_ media: LocalMedia, mid: String?, like model: SDPMediaSection?) -> SDPMediaSection {
        var section = SDPMediaSection(
            kind: media.kind.rawValue, port: 9, protocolName: model?.protocolName ?? "UDP/TLS/RTP/SAVPF",
            formats: (media.codecs.flatMap(\.payloadTypes) + (media.protection?.payloadTypes ?? [])).map { String($0) },
            level: SDPLevel(lines: [.connection("IN IP4 0.0.0.0")]))
        // Unused too, but some implementations look for it.
        if let attribute = SDPAttribute(name: "rtcp", value: "9 IN IP4 0.0.0.0") {
            section.level.lines.append(.attribute(attribute))
        }
        if let mid { section.level.append(.mid(mid)) }
        appendTransport(to: &section.level)
        for each in media.extensions {
            let direction = each.direction == .sendrecv ? nil : each.direction
            section.level.append(
                .extensionMap(SDPExtensionMap(id: UInt16(each.id), direction: direction, uri: each.uri)))
        }
        if media.allowsMixedExtensions, !media.extensions.isEmpty { section.level.append(.extensionMapAllowMixed) }
        section.level.append(.direction(media.direction))
        if media.announcesSender { appendStreams(of: media.sender, to: &section.level) }
        section.level.append(.rtcpMux)
        if media.isRTCPReducedSize { section.level.append(.rtcpReducedSize) }
        for codec in media.codecs { append(codec, to: &section.level) }
        if let protection = media.protection { append(protection, to: &section.level) }
        if media.announcesSender { appendSources(of: media, to: &section.level) }
        return section
    }

    private func append(_ codec: LocalMedia.Codec, to level: inout SDPLevel) {
        if codec.isRedundancyFirst { appendRedundancy(of: codec, to: &level) }
        let number = codec.payloadType
        level.append(
            .rtpMap(
                SDPRTPMap(
                    payloadType: number, encodingName: codec.codec.name, clockRate: codec.codec.clockRate,
                    channels: codec.codec.channels == 1 ? nil : UInt32(clamping: codec.codec.channels))))
        for feedback in codec.codec.feedback {
            let (type, parameter) = feedback.sdpCut(" ")
            level.append(
                .rtcpFeedback(
                    SDPRTCPFeedback(
                        payloadType: number, type: String(type), parameter: parameter.map { String($0) })))
        }
        if !codec.codec.formatParameters.isEmpty {
            level.append(
                .formatParameters(
                    SDPFormatParameters(format: String(number), parameters: codec.codec.formatParameters)))
        }
        if !codec.isRedundancyFirst { appendRedundancy(of: codec, to: &level) }
        guard let retransmission = codec.retransmission else { return }
        append(retransmission, repeating: number, clockRate: codec.codec.clockRate, to: &level)
    }

    private func append(
        _ retransmission: UInt8, repeating number: UInt8, clockRate: UInt32, to level: inout SDPLevel
    ) {
        level.append(
            .rtpMap(SDPRTPMap(payloadType: retransmission, encodingName: "rtx", clockRate: clockRate)))
        level.append(
            .formatParameters(SDPFormatParameters(format: String(retransmission), parameters: "apt=\(number)")))
    }

    /// Adds the error correction of video (RFC 5109), after the codecs that it may wrap.
    private func append(_ protection: LocalMedia.Protection, to level: inout SDPLevel) {
        level.append(
            .rtpMap(SDPRTPMap(payloadType: protection.red, encodingName: "red", clockRate: 90_000)))
        if let retransmission = protection.retransmission {
            append(retransmission, repeating: protection.red, clockRate: 90_000, to: &level)
        }
        level.append(
            .rtpMap(SDPRTPMap(payloadType: protection.ulpfec, encodingName: "ulpfec", clockRate: 90_000)))
    }

    /// Adds redundant audio (RFC 2198, section 5): its parameters are the payload types of the blocks.
    private func appendRedundancy(of codec: LocalMedia.Codec, to level: inout SDPLevel) {
        guard let redundancy = codec.redundancy else { return }
        level.append(
            .rtpMap(
                SDPRTPMap(
                    payloadType: redundancy, encodingName: "red", clockRate: codec.codec.clockRate,
                    channels: codec.codec.channels == 1 ? nil : UInt32(clamping: codec.codec.channels))))
        level.append(
            .formatParameters(
                SDPFormatParameters(
                    format: String(redundancy), parameters: "\(codec.payloadType)/\(codec.payloadType)")))
    }

    private func appendStreams(of sender: MediaSender, to level: inout SDPLevel) {
        let streams = sender.streamIDs.isEmpty ? ["-"] : sender.streamIDs
        for stream in streams { level.append(.msid(SDPMediaStreamIdentifier(stream: stream, track: sender.trackID))) }
    }

    private func appendSources(of media: LocalMedia, to level: inout SDPLevel) {
        guard let ssrc = media.sender.ssrc?.rawValue else { return }
        var sources = [ssrc]
        if let other = media.sender.retransmissionSSRC?.rawValue, other != ssrc,
            media.codecs.contains(where: { $0.retransmission != nil })
        {
            sources.append(other)
            level.append(.sourceGroup(SDPSourceGroup(semantics: "FID", ssrcs: sources)))
        }
        for source in sources {
            level.append(.source(SDPSource(ssrc: source, attribute: "cname", value: cname)))
        }
    }
}
