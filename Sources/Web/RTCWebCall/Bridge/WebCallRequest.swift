import Foundation

/// A request of a page to the call kit. Other messages are answered with an error, or dropped.
struct WebCallRequest: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case call(peer: String)
        case answer(accept: Bool)
        case hangUp
        case setMuted(WebCallTrack, Bool)
        case statistics
    }

    /// Identifies a request in its reply.
    struct Reference: Sendable, Hashable {
        /// The page's own number of the request.
        let id: Int
        /// The number of the document, since the next document of the same origin counts requests from the beginning.
        let document: Int?
    }

    let reference: Reference
    let action: Action

    /// The maximum length of a peer's name.
    static let longestPeer = 256

    /// The result of parsing a message.
    enum Parsed: Sendable, Hashable {
        case request(WebCallRequest)
        /// It has a number, but is no known request.
        case unknown(Reference)
        case noise
    }

    private struct Wire: Decodable {
        let id: Int
        let document: Int?
        let action: String
        let peer: String?
        let accept: Bool?
        let track: String?
        let muted: Bool?
    }

    static func parse(_ text: String) -> Parsed {
        guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)), wire.id >= 0 else {
            return .noise
        }
        let reference = Reference(id: wire.id, document: wire.document)
        return action(wire).map { .request(WebCallRequest(reference: reference, action: $0)) } ?? .unknown(reference)
    }

    private static func action(_ wire: Wire) -> Action? {
        switch wire.action {
        case "call":
            guard let peer = wire.peer, !peer.isEmpty, peer.utf8.count <= longestPeer else { return nil }
            return .call(peer: peer)
        case "answer": return .answer(accept: wire.accept ?? true)
        case "hangUp": return .hangUp
        case "setMuted":
            guard let track = wire.track.flatMap(WebCallTrack.init(rawValue:)), let muted = wire.muted else {
                return nil
            }
            return .setMuted(track, muted)
        case "statistics": return .statistics
        default: return nil
        }
    }
}

/// The kind of media that a page can mute.
public enum WebCallTrack: String, Sendable, Hashable, Codable {
    case microphone
    case camera
}
