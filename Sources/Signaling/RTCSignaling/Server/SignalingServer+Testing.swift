public import NIOCore

/// A server without a listener, for fuzzing on an embedded event loop.
@_spi(Testing) public final class ServerOnLoop {
    private let core: ServerCore

    /// Creates a server.
    ///
    /// - Parameter loop: The event loop on which all methods have to be called.
    public init(_ configuration: SignalingServer.Configuration, on loop: any EventLoop) {
        core = ServerCore(configuration, on: loop)
    }

    public func accept(_ channel: any Channel) throws {
        try core.accept(channel, tls: nil)
    }

    public var statistics: ServerStatistics { core.statistics }

    public func stop() {
        core.dropAll()
    }
}
