import Foundation
import WebRTCKit

// An app as a user of the original WebRTCKit had it, by what that kit has and its README does not show. What had to change on the way
// is in MovingFromWebRTCKit: `import WebRTC` is gone, and this class names IsolatedSignalingServerConnection.

/// A web socket, or anything else that carries bytes to a peer.
nonisolated protocol ChatSocket: Sendable {
    func open(_ receive: @escaping @Sendable (ChatMessage) async -> Void) async throws -> PeerID
    func send(_ message: ChatMessage.Content, to peer: PeerID) async throws
    func close()
}

nonisolated struct ChatMessage: Sendable {
    enum Content: Sendable {
        case signal(Data)
        case candidate(Data)
        case endCall
    }

    let content: Content
    let sender: PeerID
}

/// It has no lock: all of it belongs to the kit's actor.
final class ChatSignaling: IsolatedSignalingServerConnection {
    private let socket: ChatSocket
    private weak var delegate: SignalingServerDelegate?
    private var id: PeerID = ""
    private(set) var isOpen = false

    init(socket: ChatSocket) {
        self.socket = socket
    }

    func setDelegate(_ delegate: SignalingServerDelegate?) {
        self.delegate = delegate
    }

    func connect() async throws -> PeerID {
        guard !isOpen else { throw SignalingServerConnectionError.critical("already connected") }
        id = try await socket.open { [weak self] in await self?.receive($0) }
        isOpen = true
        delegate?.socketDidOpen()
        return id
    }

    func disconnect() {
        socket.close()
        isOpen = false
        delegate?.socketDidClose()
    }

    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        try await send(.signal(signal), to: destinationID)
    }

    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try await send(.candidate(candidate), to: destinationID)
    }

    func sendEndCall(to destinationID: PeerID) async throws {
        try await send(.endCall, to: destinationID)
    }

    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}

    private func send(_ message: ChatMessage.Content, to peer: PeerID) async throws {
        guard isOpen else { throw SignalingServerConnectionError.noInternetConnection }
        try await socket.send(message, to: peer)
    }

    private func receive(_ message: ChatMessage) async {
        switch message.content {
        case .signal(let data):
            await delegate?.didReceiveSignal(data, from: message.sender, isPolite: message.sender < id)
        case .candidate(let data): await delegate?.didReceiveICECandidate(data, from: message.sender)
        case .endCall: await delegate?.didReceiveEndCall(from: message.sender)
        }
    }
}
