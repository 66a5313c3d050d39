/// Whom a data channel tells of its states and messages.
///
/// Its methods are called one after the other, in the order in which things happened, on no particular thread. A channel
/// keeps its delegate weakly.
public protocol RTCDataChannelDelegate: AnyObject, Sendable {
    /// The channel is open, is being closed, or is closed.
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel)

    /// A message arrived. None is left out: what comes before a channel has a delegate waits for one.
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer)

    // MARK: What an app may leave out

    /// Of what ``RTCDataChannel/sendData(_:)`` has queued, `amount` bytes are left.
    func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64)
}

extension RTCDataChannelDelegate {
    public func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64) {}
}
