internal import Foundation

/// Takes what the signalling connection tells, and hands it on in order.
final class SignalingReceiver: SignalingServerDelegate {
    enum Input: Sendable {
        case core(CallCore.SignalingEvent)
        /// The server asks this device to call this peer.
        case shouldConnect(PeerID)
        /// The state of the connection to the server changed.
        case server(SignalingServerState)
    }

    /// Something to deal with, and who waits until that is done.
    struct Delivery: Sendable {
        let input: Input
        let sender: CheckedContinuation<Void, Never>?
    }

    /// Larger messages are nothing that a kit sends: they are dropped before anybody looks at them.
    private static let largestMessage = 1 << 20

    // An `async` sender waits until its message is dealt with, so as many wait here as there are senders.
    private let deliveries: AsyncStream<Delivery>.Continuation
    /// Keeps what other peers say until our invitation has been sent.
    let hold = DeliveryHold()

    init(_ deliveries: AsyncStream<Delivery>.Continuation) {
        self.deliveries = deliveries
    }

    func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {
        guard signalData.count <= Self.largestMessage else { return }
        await deliver(.core(.signal([UInt8](signalData), from: remotePeerID, isPolite: isPolite)))
    }

    func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {
        guard candidateData.count <= Self.largestMessage else { return }
        await deliver(.core(.candidate([UInt8](candidateData), from: remotePeerID)))
    }

    func didReceiveEndCall(from remotePeerID: PeerID) async {
        await deliver(.core(.endCall(from: remotePeerID)))
    }

    func shouldConnect(to remotePeerID: PeerID) async {
        await deliver(.shouldConnect(remotePeerID))
    }

    func socketDidOpen() { note(.core(.opened)) }
    func socketDidClose() { note(.core(.closed)) }

    /// Hands on what nobody waits for.
    func note(_ input: Input) {
        deliveries.yield(Delivery(input: input, sender: nil))
    }

    /// The controller is gone.
    func finish() {
        hold.end()
        deliveries.finish()
    }

    fileprivate func deliver(_ input: Input) async {
        await hold.wait()
        await withCheckedContinuation { continuation in
            let result = deliveries.yield(Delivery(input: input, sender: continuation))
            // The controller is gone.
            if case .terminated = result { continuation.resume() }
        }
    }
}

extension SignalingReceiver: TypedSignalingDelegate {
    func didReceive(_ signal: CallSignal, from peer: PeerID, isPolite: Bool, _ details: SignalDetails) async {
        await deliver(.core(.typedSignal(signal, from: peer, isPolite: isPolite, details)))
    }

    func didReceive(_ candidate: CallCandidate, from peer: PeerID) async {
        await deliver(.core(.typedCandidate(candidate, from: peer)))
    }

    func didReceiveBadVerification(of call: CallIdentifier, from peer: PeerID) async {
        await deliver(.core(.badVerification(call, from: peer)))
    }

    func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence) async {
        await deliver(.core(.presence(call, presence)))
    }

    func serverDidChange(to server: SignalingServerState) { note(.server(server)) }

    func serverWasLost(reason: String, endingWith outcome: Call.Outcome) {
        note(.server(.lost(reason: reason)))
        note(.core(.lost(outcome)))
    }
}
