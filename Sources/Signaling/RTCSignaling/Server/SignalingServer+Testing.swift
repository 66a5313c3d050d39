package import NIOCore

/// A server without a listener, for fuzzing on an embedded event loop.
package final class ServerOnLoop {
    private let core: ServerCore

    /// Creates a server.
    ///
    /// - Parameter loop: The event loop on which all methods have to be called.
    package init(_ configuration: SignalingServer.Configuration, on loop: any EventLoop) {
        core = ServerCore(configuration, on: loop)
    }

    package func accept(_ channel: any Channel) throws {
        try core.accept(channel, tls: nil)
    }

    package var statistics: ServerStatistics { core.statistics }

    package func stop() {
        core.dropAll()
    }
}
