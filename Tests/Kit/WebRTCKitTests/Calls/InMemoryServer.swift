import Foundation
import Synchronization

@testable import WebRTCKit

/// A signalling server in memory. It delivers in order; it may be slow, or away.
final class InMemoryServer: Sendable {
    struct Message: Sendable {
        enum Content: Sendable {
            case signal(Data)
            case candidate(Data)
            case endCall
        }

        var from: PeerID
        var to: PeerID
        var content: Content
    }

    struct Closed: Error {}

    private struct State {
        var peers: [PeerID: InMemoryConnection] = [:]
        var log: [Message] = []
        var isOpen = true
        var delay = Duration.zero
        var filter: @Sendable (Message) -> Message? = { $0 }
        /// The signal that does not arrive, nor what its sender says after it.
        var heldSignal: String?
        var heldSender: PeerID?
        var held: [Message] = []
    }

    private let state = Mutex(State())

    /// A connection for the peer of this name.
    func connection(_ name: PeerID) -> InMemoryConnection {
        let connection = InMemoryConnection(name, server: self)
        state.withLock { $0.peers[name] = connection }
        return connection
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }
    var delay: Duration { state.withLock { $0.delay } }

    /// Everything that was sent, in order.
    var log: [Message] { state.withLock { $0.log } }

    /// The kinds of the signals that were sent, with who sent them: `alice invite`.
    var signals: [String] {
        log.compactMap { Self.words(for: $0) }
    }

    private static func words(for message: Message) -> String? {
        guard case .signal(let data) = message.content else { return nil }
        return "\(message.from) \(kind(of: data))"
    }

    /// Keeps the next signal of these words (``signals``), and what its sender says after it, until ``release()``.
    func hold(_ signal: String) { state.withLock { $0.heldSignal = signal } }

    func release() {
        state.withLock { state in
            for message in state.held { state.peers[message.to]?.deliver(message) }
            (state.heldSignal, state.heldSender, state.held) = (nil, nil, [])
        }
    }

    /// How many offers a peer has made in running calls.
    func offers(of peer: PeerID? = nil) -> Int {
        log.count { message in
            guard peer == nil || message.from == peer, case .signal(let data) = message.content else { return false }
            return Self.kind(of: data) == "negotiate offer"
        }
    }

    private static func kind(of data: Data) -> String {
        let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        let words = [object?["kind"] as? String, object?["type"] as? String].compactMap { $0 }
        return words.joined(separator: " ")
    }

    /// How many candidates a peer has sent.
    func candidates(of peer: PeerID) -> Int {
        log.count { message in
            if case .candidate = message.content { message.from == peer } else { false }
        }
    }

    /// Delivers what `filter` makes of each message; `nil` for nothing.
    func setFilter(_ filter: @escaping @Sendable (Message) -> Message?) {
        state.withLock { $0.filter = filter }
    }

    /// Forgets what was sent so far.
    func forget() { state.withLock { $0.log = [] } }

    /// Delivers each message so much later.
    func setDelay(_ delay: Duration) { state.withLock { $0.delay = delay } }

    /// Is away from now on: what is sent is refused.
    func close() {
        let peers = state.withLock { state in
            state.isOpen = false
            return Array(state.peers.values)
        }
        for peer in peers { peer.delegate?.socketDidClose() }
    }

    func reopen() {
        let peers = state.withLock { state in
            state.isOpen = true
            return Array(state.peers.values)
        }
        for peer in peers { peer.delegate?.socketDidOpen() }
    }

    fileprivate func send(_ message: Message) throws {
        let (target, filter): (InMemoryConnection?, @Sendable (Message) -> Message?) = try state.withLock { state in
            guard state.isOpen else { throw Closed() }
            state.log.append(message)
            if let signal = state.heldSignal, Self.words(for: message) == signal { state.heldSender = message.from }
            if state.heldSender == message.from {
                state.held.append(message)
                return (nil, state.filter)
            }
            return (state.peers[message.to], state.filter)
        }
        if let message = filter(message) { target?.deliver(message) }
    }
}

/// What an app would write over its own server.
final class InMemoryConnection: SignalingServerConnection {
    private struct Reference {
        weak var delegate: (any SignalingServerDelegate)?
    }

    let name: PeerID
    private let server: InMemoryServer
    private let reference = Mutex(Reference())
    private let connected = Mutex(false)
    private let held = Mutex(false)
    private let inbox: AsyncStream<InMemoryServer.Message>.Continuation
    private let offered = Mutex<[RTCIceServer]>([])
    /// What was told of the network.
    let networkEvents = Mutex<[String]>([])

    fileprivate init(_ name: PeerID, server: InMemoryServer) {
        self.name = name
        self.server = server
        let (stream, continuation) = AsyncStream.makeStream(of: InMemoryServer.Message.self)
        inbox = continuation
        Task { [weak self] in
            for await message in stream {
                guard let server = self?.server else { return }
                if server.delay > .zero { try? await Task.sleep(for: server.delay) }
                await self?.tell(message)
            }
        }
    }

    deinit { inbox.finish() }

    fileprivate var delegate: (any SignalingServerDelegate)? { reference.withLock { $0.delegate } }

    fileprivate func deliver(_ message: InMemoryServer.Message) { inbox.yield(message) }

    private func tell(_ message: InMemoryServer.Message) async {
        switch message.content {
        case .signal(let data):
            await delegate?.didReceiveSignal(data, from: message.from, isPolite: name < message.from)
        case .candidate(let data): await delegate?.didReceiveICECandidate(data, from: message.from)
        case .endCall: await delegate?.didReceiveEndCall(from: message.from)
        }
    }

    /// The server asks this peer to call another.
    func askToCall(_ peer: PeerID) async { await delegate?.shouldConnect(to: peer) }

    // MARK: SignalingServerConnection

    var isOpen: Bool { connected.withLock { $0 } && server.isOpen }

    func setDelegate(_ delegate: (any SignalingServerDelegate)?) { reference.withLock { $0.delegate = delegate } }

    func connect() async throws -> PeerID {
        guard server.isOpen else { throw InMemoryServer.Closed() }
        connected.withLock { $0 = true }
        return name
    }

    func disconnect() { connected.withLock { $0 = false } }

    /// Whether what is sent takes until this ends.
    func hold(_ isHeld: Bool) { held.withLock { $0 = isHeld } }

    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        while held.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        try server.send(.init(from: name, to: destinationID, content: .signal(signal)))
    }

    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try server.send(.init(from: name, to: destinationID, content: .candidate(candidate)))
    }

    func sendEndCall(to destinationID: PeerID) async throws {
        try server.send(.init(from: name, to: destinationID, content: .endCall))
    }

    var iceServers: [RTCIceServer] { offered.withLock { $0 } }

    /// The ICE servers that it offers from now on.
    func offer(_ servers: [RTCIceServer]) { offered.withLock { $0 = servers } }

    func onConnectionSatisfied() { networkEvents.withLock { $0.append("satisfied") } }
    func onConnectionUnsatisfied() { networkEvents.withLock { $0.append("unsatisfied") } }
}
