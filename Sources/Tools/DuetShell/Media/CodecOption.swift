package import RTC
import RTCMedia

/// `--codec`
package enum CodecOption {
    /// The codecs that the options allow: of each named kind the named ones, of the other kind all.
    ///
    /// - Parameter names: In any case, the preferred one first.
    package static func choose(_ names: [String]) throws(Refusal) -> [RTPCodec] {
        var formats: [PayloadFormat] = []
        for name in names {
            guard let format = PayloadFormat(encodingName: name) else {
                let known = PayloadFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal("--codec \(name): there is no such codec; there are \(known)")
            }
            if !formats.contains(format) { formats.append(format) }
        }
        var chosen: [RTPCodec] = []
        for kind in [MediaKind.audio, .video] {
            let supported = PeerConnection.supportedCodecs(kind)
            let wanted = formats.filter { $0.kind == kind }
            if wanted.isEmpty {
                chosen += supported
                continue
            }
            for format in wanted {
                let found = supported.filter { $0.format == format }
                guard !found.isEmpty else {
                    throw Refusal("--codec \(format.rawValue): this machine does not have it")
                }
                chosen += found
            }
        }
        return chosen
    }
}
