public import Foundation

/// A channel for messages between the two peers of a call.
///
/// A channel stays open while the call is connected and the app keeps a reference to it, or has set its delegate.
public final class WRKDataChannel: Sendable {
    /// The underlying channel, which is passed to the delegate.
    public let dataChannel: RTCDataChannel

    init(_ dataChannel: RTCDataChannel) {
        self.dataChannel = dataChannel
    }

    /// The label, which need not be unique.
    public var label: String { dataChannel.label }
    public var readyState: RTCDataChannelState { dataChannel.readyState }
    /// The SCTP stream identifier; -1 before it is assigned.
    public var channelId: Int32 { dataChannel.channelId }

    /// Sets the delegate that receives messages and state changes from now on; `nil` for none. It first receives those
    /// that no delegate has received yet.
    public func setDelegate(_ delegate: (any RTCDataChannelDelegate)?) async {
        dataChannel.setDelegate(delegate)
    }

    /// Sends a binary message. Waits until the channel is open and has room in its buffer, also while the path is lost and in a task
    /// that is cancelled: the message stays in the queue until the channel is closed.
    ///
    /// - Returns: Whether the message was queued: `false` if the channel is closed, or the message is larger than the
    ///   peer accepts.
    @discardableResult
    public func sendData(_ data: Data) async -> Bool {
        await sendData(RTCDataBuffer(data: data, isBinary: true))
    }

    /// Sends a message. Waits until the channel is open and has room in its buffer.
    ///
    /// - Returns: Whether the message was queued, as ``sendData(_:)-(Data)``.
    @discardableResult
    public func sendData(_ buffer: RTCDataBuffer) async -> Bool {
        await dataChannel.send(buffer)
    }

    /// Closes the channel. Messages that were sent before are still delivered.
    public func close() async {
        dataChannel.close()
    }
}

extension WRKDataChannel: Hashable {
    public static func == (first: WRKDataChannel, second: WRKDataChannel) -> Bool {
        first.dataChannel === second.dataChannel
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(dataChannel)) }
}
