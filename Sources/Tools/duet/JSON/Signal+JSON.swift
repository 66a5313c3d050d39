import RTCPeer
import RTCTransport

extension Signal {
    /// The line that carries this to the other peer: the same form that ``InputLine`` reads.
    var json: JSONValue {
        switch self {
        case .description(let description):
            .object([.init("type", .string(description.type.rawValue)), .init("sdp", .string(description.sdp))])
        case .candidate(let candidate):
            .object([
                .init("candidate", .string(candidate.candidate)),
                .init("sdpMid", candidate.sdpMid.map { .string($0) } ?? .null),
                .init("sdpMLineIndex", candidate.sdpMLineIndex.map { .integer($0) } ?? .null),
            ])
        }
    }
}
