package import RTCPeer
import RTCTransport

extension Signal {
    /// The line for the other peer, in the format that ``InputLine`` reads.
    package var json: JSONValue {
        switch self {
        case .description(let description):
            .object(["type": description.type.rawValue, "sdp": description.sdp])
        case .candidate(let candidate):
            .object([
                "candidate": candidate.candidate, "sdpMid": candidate.sdpMid, "sdpMLineIndex": candidate.sdpMLineIndex,
            ])
        }
    }
}
