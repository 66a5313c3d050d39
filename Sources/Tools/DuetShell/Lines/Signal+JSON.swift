package import RTCPeer
import RTCTransport

extension Signal {
    /// The line for the other peer, in the format that ``InputLine`` reads.
    package var json: JSONValue {
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
