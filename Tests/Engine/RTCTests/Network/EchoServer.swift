import NIOCore
import NIOPosix
import NIOSSL
import RTCWire
import Synchronization

@testable import RTC

/// A server over TCP that sends everything back, and hangs up on “bye”.
final class EchoServer: Sendable {
    enum Identity { case good, expired }

    let address: TransportAddress
    private let channel: any Channel
    private let state: State

    final class State: Sendable {
        let values = Mutex((connections: 0, bytesRead: 0, children: [any Channel]()))
    }

    private init(_ channel: any Channel, address: TransportAddress, state: State) {
        self.channel = channel
        self.address = address
        self.state = state
    }

    /// - Parameter reads: A server that does not read does not send either.
    static func start(
        on ip: IPAddress = IPAddress(127, 0, 0, 1), tls: Identity? = nil, reads: Bool = true
    ) async throws -> EchoServer {
        let state = State()
        let context = try tls.map { try Self.context($0) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: reads)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(Echo(state))
                }
            }
            .bind(to: SocketAddress(TransportAddress(ip: ip, port: 0))).get()
        let port = channel.localAddress?.port ?? 0
        return EchoServer(channel, address: TransportAddress(ip: ip, port: UInt16(port)), state: state)
    }

    var connections: Int { state.values.withLock { $0.connections } }
    /// Where connections came from, of all that there were.
    var remotes: [TransportAddress] {
        state.values.withLock { $0.children.compactMap { $0.remoteAddress.flatMap { TransportAddress($0) } } }
    }
    var bytesRead: Int { state.values.withLock { $0.bytesRead } }

    /// Begins to read.
    func resume() {
        for child in state.values.withLock({ $0.children }) { _ = child.setOption(.autoRead, value: true) }
    }

    func stop() async throws {
        for child in state.values.withLock({ $0.children }) { child.close(promise: nil) }
        try await channel.close()
    }

    private static func context(_ identity: Identity) throws -> NIOSSLContext {
        let pem = identity == .good ? TestCertificates.server : TestCertificates.expired
        let key = identity == .good ? TestCertificates.serverKey : TestCertificates.expiredKey
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))))
    }

    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let state: State

        init(_ state: State) {
            self.state = state
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            state.values.withLock { values in
                values.connections += 1
                values.children.append(channel)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            state.values.withLock { $0.connections -= 1 }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            state.values.withLock { $0.bytesRead += buffer.readableBytes }
            if String(buffer: buffer) == "bye" {
                context.close(promise: nil)
            } else {
                context.writeAndFlush(data, promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
