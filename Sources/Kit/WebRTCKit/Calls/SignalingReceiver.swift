internal import Foundation

/// Passes the events of the signalling connection on, in order.
final class SignalingReceiver: SignalingServerDelegate {
    enum Input: Sendable {
        case core(CallCore.SignalingEvent)
        /// The server asks this device to call this peer.
        case shouldConnect(PeerID)
        /// The state of the connection to the server changed.
        case server(SignalingServerState)
        /// Everything that waited at the server was delivered.
        case caughtUp
    }

    /// An input, and the caller that waits until it is handled.
    struct Delivery: Sendable {
        let input: Input
        let sender: CheckedContinuation<Void, Never>?
    }

    /// The size above which a message is dropped unread; a kit sends none as large.
    private static let largestMessage = 1 << 20

    // An `async` caller waits until its message is handled, so at most one message per caller waits here.
    private let deliveries: AsyncStream<Delivery>.Continuation
    /// Holds signals of other peers back until the local invitation was sent.
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

    /// Passes on an input for which nobody waits.
    func note(_ input: Input) {
        deliveries.yield(Delivery(input: input, sender: nil))
    }

    /// Ends the inputs, because the controller was released.
    func finish() {
        hold.endAll()
        deliveries.finish()
    }

    fileprivate func deliver(_ input: Input) async {
        await hold.wait()
        await withCheckedContinuation { continuation in
            let result = deliveries.yield(Delivery(input: input, sender: continuation))
            // The controller was released.
            if case .terminated = result { continuation.resume() }
        }
    }
}

extension SignalingReceiver: TypedSignalingDelegate {
    func didReceiveSignal(
        _ signalData: Data, from remotePeerID: PeerID, isPolite: Bool, details: SignalDetails
    ) async {
        guard signalData.count <= Self.largestMessage else { return }
        await deliver(.core(.signal([UInt8](signalData), from: remotePeerID, isPolite: isPolite, details: details)))
    }

    func didReceive(_ signal: CallSignal, from peer: PeerID, isPolite: Bool, _ details: SignalDetails) async {
        await deliver(.core(.typedSignal(signal, from: peer, isPolite: isPolite, details)))
    }

    func didReceive(_ candidate: CallCandidate, from peer: PeerID) async {
        await deliver(.core(.typedCandidate(candidate, from: peer)))
    }

    func didReceiveBadVerification(of call: CallIdentifier, from peer: PeerID) async {
        await deliver(.core(.badVerification(call, from: peer)))
    }

    func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence, hasNewSession: Bool) async {
        await deliver(.core(.presence(call, presence, hasNewSession: hasNewSession)))
    }

    func messageWasDropped(of call: CallIdentifier) async { await deliver(.core(.undeliverable(call))) }

    func waitingSignalsWereDelivered() { note(.caughtUp) }

    func serverDidChange(to server: SignalingServerState) { note(.server(server)) }

    func serverWasLost(reason: String, endingWith outcome: Call.Outcome) {
        note(.server(.lost(reason: reason)))
        note(.core(.lost(outcome)))
    }
}
