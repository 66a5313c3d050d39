/// The delegate that receives the messages and state changes of a data channel.
///
/// Its methods are called one after the other, in the order of the events, on any thread. A channel holds its delegate
/// weakly.
public protocol RTCDataChannelDelegate: AnyObject, Sendable {
    /// Called when the channel is open, closing or closed.
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel)

    /// Called when a message arrives. Messages that arrive before the channel has a delegate are kept for it.
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer)

    // MARK: Optional methods

    /// Called when queued bytes were passed to the connection; `amount` bytes of ``RTCDataChannel/sendData(_:)``
    /// remain.
    func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64)
}

extension RTCDataChannelDelegate {
    public func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64) {}
}
