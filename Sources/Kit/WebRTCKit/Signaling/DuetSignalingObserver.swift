public import RTCSignaling

/// Told of what goes between a ``DuetSignaling`` and its server: for what this server says beyond what a kit has to know, such
/// as names and devices, why a call ended, and how the other side's signalling does.
public protocol DuetSignalingObserver: AnyObject, Sendable {
    /// The server said something, or is gone, or there again. The kit hears of it when this returns, and of nothing else
    /// before.
    func didReceive(_ event: SignalingClient.Event) async

    /// We are about to say something to the server; candidates are not told of. Return at once: the connection is locked, and
    /// calling it would wait for ever.
    func willSend(_ message: ClientMessage)
}
