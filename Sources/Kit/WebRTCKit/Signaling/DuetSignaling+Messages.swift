public import Foundation
internal import Logging
internal import RTCSignaling
internal import Synchronization

// Translation between the kit's signals and the server's messages.
extension DuetSignaling {
    // MARK: Messages of the kit

    public func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        try say(
            try Self.decode { () throws(CallSignalError) in try CallSignal(decoding: Array(signal)) }, to: destinationID
        )
    }

    private func say(_ signal: CallSignal, to destinationID: PeerID) throws(CallManagerError) {
        try send { calls throws(CallManagerError) in
            (signal.content.isInvitation, try calls.send(signal, to: destinationID))
        }
    }

    public func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try say(
            try Self.decode { () throws(CallSignalError) in try DuetSignalingCalls.Candidate(decoding: Array(candidate))
            })
    }

    private func say(_ candidate: DuetSignalingCalls.Candidate) throws(CallManagerError) {
        try send { calls throws(CallManagerError) in (false, try calls.send(candidate)) }
    }

    /// Sends nothing: the signal before it has already ended the call.
    public func sendEndCall(to destinationID: PeerID) async throws {}

    private static func decode<Value>(
        _ body: () throws(CallSignalError) -> Value
    ) throws(CallManagerError) -> Value {
        do {
            return try body()
        } catch {
            throw .signalingFailed("this is nothing that a kit says: \(error)")
        }
    }

    private func send(
        _ translate: (inout DuetSignalingCalls) throws(CallManagerError) -> (
            isInvitation: Bool, outgoing: [DuetSignalingCalls.Outgoing]
        )
    ) throws(CallManagerError) {
        try state.withLock { state throws(CallManagerError) in
            guard let client = state.client else { throw .signalingFailed("there is no connection to the server") }
            var calls = state.calls
            let (isInvitation, outgoing) = try translate(&calls)
            // An invitation fails at once, so that nobody waits for a server before anything rings. Other messages are kept until
            // there is a connection.
            guard !isInvitation || client.isConnected else {
                throw .signalingFailed("the connection to the server is lost; it is being made again")
            }
            try Self.send(outgoing, by: client)
            state.calls = calls
        }
    }

    private static func send(
        _ outgoing: [DuetSignalingCalls.Outgoing], by client: SignalingClient
    ) throws(CallManagerError) {
        do throws(SignalingClientError) {
            for outgoing in outgoing {
                switch outgoing {
                case .message(let message): try client.send(message)
                case .candidate(let candidate, let call): try client.sendCandidate(candidate, for: call)
                }
            }
        } catch {
            throw .signalingFailed(error.message)
        }
    }

    // MARK: Messages of the server

    /// Handles the events of a client until it has ended.
    func follow(_ client: SignalingClient) {
        Task { [weak self] in
            for await event in client.events {
                guard let self else { return }
                await take(event, of: client)
            }
        }
    }

    private func take(_ event: SignalingClient.Event, of client: SignalingClient) async {
        switch event {
        case .connected(let welcome):
            note(welcome, of: client)
            setOpen(true, of: client)
            // Everything that waits at the server arrives before the answer.
            try? client.send(.ping(Ping(id: Self.deliveryMark)))
        case .disconnected(let error):
            detailsDelegate(of: client)?.serverDidChange(to: .disconnected(reason: error.message))
            setOpen(false, of: client)
        case .message(.iceServers(let servers)):
            take(servers.iceServers, of: client)
        case .message(.pong(let ping)) where ping.id == Self.deliveryMark:
            detailsDelegate(of: client)?.waitingSignalsWereDelivered()
        case .message(let message):
            if case .goingAway = message { detailsDelegate(of: client)?.serverDidChange(to: .stopping) }
            await take(message, of: client)
        case .ended(let error):
            // A failed first attempt may be repeated.
            if let error, client.welcome != nil {
                // The calls that were not answered belong to the newer session of the same device.
                let isReplaced = error.code == .refused(.replaced)
                detailsDelegate(of: client)?.serverWasLost(
                    reason: error.message, endingWith: isReplaced ? .replaced : .failed(.signalingFailed(error.message))
                )
            }
            setOpen(false, of: client)
            state.withLock { state in
                guard state.client === client else { return }
                state.client = nil
                state.calls.removeAll()
                state.failure = error
            }
            // The failure of the first attempt is thrown to the caller.
            guard let error, client.welcome != nil else { return }
            configuration.logger.warning("The signalling server is lost: \(error.message)")
        }
    }

    /// Keeps the address and the ICE servers of the sign-in. The caller of ``connect()`` may ask for them before the event is read.
    func note(_ welcome: Welcome, of client: SignalingClient) {
        take(welcome.iceServers, of: client)
        let address = SignalingAddress(user: welcome.user, device: welcome.device).description
        state.withLock { if $0.client === client { $0.address = address } }
    }

    /// The `id` of the ping after each sign-in, and after a push.
    static let deliveryMark = 1

    /// The controller, unless this client was replaced.
    private func detailsDelegate(of client: SignalingClient) -> (any SignalingServerDetailsDelegate)? {
        state.withLock { $0.client === client ? $0.delegate as? any SignalingServerDetailsDelegate : nil }
    }

    private func setOpen(_ isOpen: Bool, of client: SignalingClient) {
        let delegate = state.withLock { state -> (any SignalingServerDelegate)? in
            guard state.client === client, state.isOpen != isOpen else { return nil }
            state.isOpen = isOpen
            return state.delegate
        }
        if isOpen { delegate?.socketDidOpen() } else { delegate?.socketDidClose() }
    }

    private func take(_ message: ServerMessage, of client: SignalingClient) async {
        let (delegate, reaction): ((any SignalingServerDelegate)?, DuetSignalingCalls.Reaction) = state.withLock {
            state in
            guard state.client === client else { return (nil, .init()) }
            let reaction = state.calls.receive(message)
            // Fails only if the client has ended, and then there is no server to send to.
            try? Self.send(reaction.replies, by: client)
            return (state.delegate, reaction)
        }
        if let remark = reaction.remark { configuration.logger.info("Signalling: \(remark)") }
        for delivery in reaction.deliveries {
            switch delivery {
            case .signal(let signal, let peer, let isPolite, let details):
                if let typed = delegate as? any TypedSignalingDelegate {
                    await typed.didReceive(signal, from: peer, isPolite: isPolite, details)
                } else if let detailed = delegate as? any SignalingServerDetailsDelegate {
                    await detailed.didReceiveSignal(
                        Data(signal.encoded()), from: peer, isPolite: isPolite, details: details)
                } else {
                    await delegate?.didReceiveSignal(Data(signal.encoded()), from: peer, isPolite: isPolite)
                }
            case .candidate(let candidate, let peer):
                if let typed = delegate as? any TypedSignalingDelegate {
                    await typed.didReceive(candidate, from: peer)
                } else {
                    await delegate?.didReceiveICECandidate(Data(candidate.encoded()), from: peer)
                }
            case .badVerification(let call, let peer, let isPolite):
                if let typed = delegate as? any TypedSignalingDelegate {
                    await typed.didReceiveBadVerification(of: call, from: peer)
                } else {
                    let bytes = VerificationData.signal(call: call.rawValue, data: [])
                    await delegate?.didReceiveSignal(Data(bytes), from: peer, isPolite: isPolite)
                }
            case .presence(let call, let presence, let hasNewSession):
                await (delegate as? any SignalingServerDetailsDelegate)?.presenceDidChange(
                    of: call, to: presence, hasNewSession: hasNewSession)
            case .undeliverable(let call):
                await (delegate as? any SignalingServerDetailsDelegate)?.messageWasDropped(of: call)
            }
        }
    }

    // MARK: ICE servers

    private static let mostServers = 32

    /// Stores the servers. The client requests new ones before their credentials expire.
    private func take(_ servers: [SignalingICEServer], of client: SignalingClient) {
        let known = servers.prefix(Self.mostServers).map {
            RTCIceServer(urlStrings: $0.urls, username: $0.username, credential: $0.credential)
        }
        state.withLock { state in
            if state.client === client { state.iceServers = known }
        }
    }
}

extension CallSignal.Content {
    fileprivate var isInvitation: Bool {
        if case .invite = self { true } else { false }
    }
}

extension DuetSignaling: TypedSignalingConnection {
    func send(_ signal: CallSignal, to peer: PeerID) async throws { try say(signal, to: peer) }
    func send(_ candidate: DuetSignalingCalls.Candidate, to peer: PeerID) async throws { try say(candidate) }
}
