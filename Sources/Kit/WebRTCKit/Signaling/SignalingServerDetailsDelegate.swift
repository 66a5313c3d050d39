public import Foundation

/// The delegate that receives what a signalling server may know beyond the signals: names, devices, presence, refusals, and
/// its own end. The controller conforms.
///
/// A connection whose server knows any of this passes it to the delegate that
/// ``SignalingServerConnection/setDelegate(_:)`` has set; the other methods of ``SignalingServerDelegate`` stay as they are:
///
/// ```swift
/// let detailed = delegate as? any SignalingServerDetailsDelegate
/// await detailed?.didReceiveSignal(signal, from: peer, isPolite: isPolite, details: SignalDetails(name: name))
/// ```
public protocol SignalingServerDetailsDelegate: SignalingServerDelegate {
    /// Called in place of ``SignalingServerDelegate/didReceiveSignal(_:from:isPolite:)`` with a signal about whose sender the
    /// server knows more.
    func didReceiveSignal(
        _ signalData: Data, from remotePeerID: PeerID, isPolite: Bool, details: SignalDetails) async

    /// Called when the remote peer's connection to the server changes during a call.
    ///
    /// - Parameters:
    ///   - call: The identifier of the call, as in ``SignalSummary/call``.
    ///   - presence: The state of the connection.
    ///   - hasNewSession: Whether signals that were sent to the peer's last connection may be lost.
    func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence, hasNewSession: Bool) async

    /// Called when the server has dropped a signal to the remote peer, for example because the peer reads too slowly.
    func messageWasDropped(of call: CallIdentifier) async

    /// Called after sign-in, once everything that waited at the server for this device has been passed to the delegate: see
    /// ``WebRTCController/Event/caughtUp``. A call that a push has announced and whose invitation was not among it then ends.
    func waitingSignalsWereDelivered()

    /// Called when the state of the server changes, beside ``SignalingServerDelegate/socketDidOpen()`` and
    /// ``SignalingServerDelegate/socketDidClose()``: the server is about to stop, or there is a reason for the interruption.
    func serverDidChange(to server: SignalingServerState)

    /// Called when the connection to the server has ended for good.
    ///
    /// - Parameters:
    ///   - reason: Human-readable.
    ///   - outcome: How a call ends that was not answered: ``Call/Outcome/replaced`` if the same device has signed in again
    ///     elsewhere, otherwise `.failed(.signalingFailed(reason))`.
    func serverWasLost(reason: String, endingWith outcome: Call.Outcome)
}
