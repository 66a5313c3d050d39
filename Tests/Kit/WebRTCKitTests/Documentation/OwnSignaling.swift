// The code of the article “Your own signalling server”: see ArticleCode.swift.

import Foundation
import Synchronization
import WebRTCKit

/// A socket of whatever library the app uses.
nonisolated protocol MessageSocket: Sendable {
    func open() async throws
    func send(_ message: Data) async throws
    func close()
    /// What arrives, until the socket is closed.
    var messages: AsyncStream<Data> { get }
}

/// What goes over the socket. The server reads `to`, sets `from` to the sender, and forwards it.
nonisolated struct Letter: Codable, Equatable {
    nonisolated enum Kind: String, Codable { case signal, candidate, endCall, allDelivered }

    var kind: Kind
    var to: PeerID
    var from: PeerID
    var content = Data()
    /// The name of the sender's user. Only the server sets it.
    var name: String?
    /// Why the server refuses the call. Only the server sets it.
    var refusal: String?
}

final class SocketSignaling: SignalingServerConnection {
    private struct State {
        weak var delegate: (any SignalingServerDelegate)?
        var isOpen = false
    }

    private let me: PeerID
    private let socket: any MessageSocket
    private let state = Mutex(State())

    init(me: PeerID, socket: any MessageSocket) {
        self.me = me
        self.socket = socket
    }

    // Otherwise the server would take this device for reachable.
    deinit { socket.close() }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func setDelegate(_ delegate: (any SignalingServerDelegate)?) {
        state.withLock { $0.delegate = delegate }
    }

    func connect() async throws -> PeerID {
        try await socket.open()
        setOpen(true)
        Task { [weak self, socket] in
            for await message in socket.messages { await self?.received(message) }
            self?.setOpen(false)
        }
        return me
    }

    func disconnect() { socket.close() }

    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        try await send(Letter(kind: .signal, to: destinationID, from: me, content: signal))
    }

    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try await send(Letter(kind: .candidate, to: destinationID, from: me, content: candidate))
    }

    func sendEndCall(to destinationID: PeerID) async throws {
        try await send(Letter(kind: .endCall, to: destinationID, from: me))
    }

    func onConnectionSatisfied() {
        // A good moment to make a lost connection anew.
    }

    func onConnectionUnsatisfied() {}

    private func send(_ letter: Letter) async throws {
        try await socket.send(JSONEncoder().encode(letter))
    }

    private func received(_ message: Data) async {
        guard let letter = try? JSONDecoder().decode(Letter.self, from: message) else { return }
        let delegate = state.withLock { $0.delegate }
        switch letter.kind {
        case .signal:
            await receivedSignal(letter, delegate)
        case .candidate:
            await delegate?.didReceiveICECandidate(letter.content, from: letter.from)
        case .endCall:
            await delegate?.didReceiveEndCall(from: letter.from)
        case .allDelivered:
            (delegate as? any SignalingServerDetailsDelegate)?.waitingSignalsWereDelivered()
        }
    }

    private func receivedSignal(_ letter: Letter, _ delegate: (any SignalingServerDelegate)?) async {
        let isPolite = me < letter.from
        guard let detailed = delegate as? any SignalingServerDetailsDelegate else {
            await delegate?.didReceiveSignal(letter.content, from: letter.from, isPolite: isPolite)
            return
        }
        let details = SignalDetails(
            device: letter.from, name: letter.name, nameIsProven: letter.name != nil, refusal: letter.refusal)
        await detailed.didReceiveSignal(letter.content, from: letter.from, isPolite: isPolite, details: details)
    }

    private func setOpen(_ isOpen: Bool) {
        let delegate = state.withLock { state in
            state.isOpen = isOpen
            return state.delegate
        }
        if isOpen { delegate?.socketDidOpen() } else { delegate?.socketDidClose() }
    }
}
