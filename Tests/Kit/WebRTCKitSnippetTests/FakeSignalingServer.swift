import Foundation
import Synchronization
import WebRTCKit

/// What an app makes of the protocol in the original WebRTCKit's README, over a server in this process.
final class SignalingServerConnectionImpl: SignalingServerConnection, Printed.SignalingServerConnection {
    private struct State {
        var delegate: SignalingServerDelegate?
        var isOpen = false
    }

    private let id = UUID().uuidString
    private let state = Mutex(State())

    init() async {}

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func setDelegate(_ delegate: SignalingServerDelegate?) {
        state.withLock { $0.delegate = delegate }
    }

    func connect() async throws -> PeerID {
        let delegate = state.withLock { state in
            state.isOpen = true
            return state.delegate
        }
        FakeSignalingServer.shared.add(id) { [weak self] event in await self?.deliver(event) }
        delegate?.socketDidOpen()
        return id
    }

    func disconnect() {
        FakeSignalingServer.shared.remove(id)
        let delegate = state.withLock { state in
            state.isOpen = false
            return state.delegate
        }
        delegate?.socketDidClose()
    }

    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        // Any rule will do by which the two do not agree.
        try FakeSignalingServer.shared.send(.signal(signal, from: id, isPolite: destinationID < id), to: destinationID)
    }

    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try FakeSignalingServer.shared.send(.candidate(candidate, from: id), to: destinationID)
    }

    func sendEndCall(to destinationID: PeerID) async throws {
        try FakeSignalingServer.shared.send(.endCall(from: id), to: destinationID)
    }

    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}

    private func deliver(_ event: FakeSignalingServer.Event) async {
        let delegate = state.withLock { $0.delegate }
        switch event {
        case .signal(let data, let peer, let isPolite):
            await delegate?.didReceiveSignal(data, from: peer, isPolite: isPolite)
        case .candidate(let data, let peer): await delegate?.didReceiveICECandidate(data, from: peer)
        case .endCall(let peer): await delegate?.didReceiveEndCall(from: peer)
        }
    }
}

/// Carries what it is given from one connection to another, each one's in order.
nonisolated final class FakeSignalingServer: Sendable {
    enum Event: Sendable {
        case signal(Data, from: PeerID, isPolite: Bool)
        case candidate(Data, from: PeerID)
        case endCall(from: PeerID)
    }

    struct NobodyThere: Error {}

    static let shared = FakeSignalingServer()
    private let mailboxes = Mutex<[PeerID: AsyncStream<Event>.Continuation]>([:])

    func add(_ id: PeerID, deliver: @escaping @Sendable (Event) async -> Void) {
        let (events, mailbox) = AsyncStream.makeStream(of: Event.self)
        mailboxes.withLock { $0[id] = mailbox }
        Task { for await event in events { await deliver(event) } }
    }

    func remove(_ id: PeerID) {
        mailboxes.withLock { $0.removeValue(forKey: id) }?.finish()
    }

    func send(_ event: Event, to id: PeerID) throws {
        guard let mailbox = mailboxes.withLock({ $0[id] }) else { throw NobodyThere() }
        mailbox.yield(event)
    }
}
