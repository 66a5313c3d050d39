import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import RTCSignaling

/// A server's core on an embedded event loop: its time is the test's, its sockets are channels without a network, from whatever
/// address a test likes.
final class VirtualServer {
    private let loop = EmbeddedEventLoop()
    private let core: ServerCore

    init(
        exchange: (any CallExchange)? = nil, _ change: (inout SignalingServer.Configuration) -> Void = { _ in }
    ) {
        var configuration = SignalingServer.Configuration()
        configuration.logger.logLevel = .critical
        change(&configuration)
        core = ServerCore(configuration, on: loop, exchange: exchange)
    }

    /// A new connection; `nil` if it is refused.
    func connect(from address: String) throws -> VirtualSocket? {
        let channel = EmbeddedChannel(loop: loop)
        let address = try SocketAddress(ipAddress: address, port: 9)
        channel.remoteAddress = address
        channel.connect(to: address, promise: nil)
        do { try core.accept(channel, tls: nil) } catch { return nil }
        return VirtualSocket(channel)
    }

    /// Lets happen what can happen at this moment.
    func run() {
        loop.run()
    }

    func advance(_ time: TimeAmount) {
        loop.advanceTime(by: time)
    }

    /// Lets time pass in small steps until `condition` holds.
    ///
    /// - Returns: How much it was, in seconds; `nil` if it was too much.
    func wait(_ most: Double, until condition: () throws -> Bool) rethrows -> Double? {
        var waited = 0.0
        while try !condition() {
            guard waited < most else { return nil }
            advance(.milliseconds(10))
            waited += 0.01
        }
        return waited
    }

    var statistics: ServerStatistics { core.statistics }

    func stop() {
        core.dropAll()
        loop.run()
    }
}

/// One connection to a ``VirtualServer``.
final class VirtualSocket {
    private let channel: EmbeddedChannel
    /// What was sent by the server, since it was last taken.
    private var bytes: [UInt8] = []

    init(_ channel: EmbeddedChannel) {
        self.channel = channel
    }

    var isOpen: Bool { channel.isActive }

    func send(_ bytes: [UInt8]) {
        guard isOpen else { return }
        _ = try? channel.writeInbound(channel.allocator.buffer(bytes: bytes))
    }

    func sendText(_ text: String) {
        send(RawSocket.frame(1, Array(text.utf8)))
    }

    /// Asks for a WebSocket and signs in, in one breath.
    func signIn(_ user: String, device: String = "d") {
        send(Array(RawSocket.handshake.utf8))
        sendText(#"{"type":"hello","version":1,"user":"\#(user)","device":"\#(device)"}"#)
    }

    /// Whether the server has sent this since it was last asked. All that it sent is forgotten then.
    func took(_ text: String) throws -> Bool {
        try collect()
        guard bytes.firstRange(of: Array(text.utf8)) != nil else { return false }
        bytes = []
        return true
    }

    /// Throws away what the server has sent.
    func forget() throws {
        try collect()
        bytes = []
    }

    private func collect() throws {
        while let sent = try channel.readOutbound(as: ByteBuffer.self) { bytes += sent.readableBytesView }
    }

    func close() {
        // `finish()` would cancel all that the loop has to do later.
        channel.close(promise: nil)
    }
}
