public import Foundation

/// A channel for messages between the two peers of a call.
///
/// A channel is open for as long as the call runs, and an app keeps it or has given it a delegate.
public final class WRKDataChannel: Sendable {
    /// What the delegate is told of, with all that there is to know of the channel.
    public let dataChannel: RTCDataChannel

    init(_ dataChannel: RTCDataChannel) {
        self.dataChannel = dataChannel
    }

    /// A name, which need not be unique.
    public var label: String { dataChannel.label }
    public var readyState: RTCDataChannelState { dataChannel.readyState }
    /// The number of the channel; -1 before there is one.
    public var channelId: Int32 { dataChannel.channelId }

    /// Says whom to tell of states and messages from now on; `nil` for nobody. What came before, and nobody was told of, comes
    /// now.
    public func setDelegate(_ delegate: (any RTCDataChannelDelegate)?) async {
        dataChannel.setDelegate(delegate)
    }

    /// Sends bytes. Waits until the channel is open and has room.
    ///
    /// - Returns: Whether the message is on its way. It is not if the channel is closed, or it is larger than the other peer
    ///   takes.
    @discardableResult
    public func sendData(_ data: Data) async -> Bool {
        await sendData(RTCDataBuffer(data: data, isBinary: true))
    }

    /// Sends a message. Waits until the channel is open and has room.
    ///
    /// - Returns: Whether the message is on its way, as ``sendData(_:)-(Data)``.
    @discardableResult
    public func sendData(_ buffer: RTCDataBuffer) async -> Bool {
        await dataChannel.send(buffer)
    }

    /// Closes the channel. What was sent before still arrives.
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
