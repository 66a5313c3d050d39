import NIOCore

@testable import RTCSignaling

/// A server without a listener, on an embedded event loop.
final class ServerOnLoop {
    private let core: ServerCore

    /// Creates a server.
    ///
    /// - Parameter loop: The event loop on which all methods have to be called.
    init(_ configuration: SignalingServer.Configuration, on loop: any EventLoop) {
        core = ServerCore(configuration, on: loop)
    }

    func accept(_ channel: any Channel) throws {
        try core.accept(channel, tls: nil)
    }

    var statistics: ServerStatistics { core.statistics }

    func stop() {
        core.dropAll()
    }
}
