import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server of HTTP/2 on this machine that sends whatever a test likes: frames are bytes to it.
final class HTTP2Script: Sendable {
    /// What is sent when a connection begins, and when the request of a stream is complete.
    struct Lines: Sendable {
        var greeting = HTTP2Script.frame(4)
        var answer: @Sendable (_ stream: UInt8) -> [UInt8] = { _ in [] }
    }

    let port: Int
    private let listener: any Channel
    private let count: Mutex<Int>

    static func start(_ lines: Lines) async throws -> HTTP2Script {
        let context = try TestKeys.http2Context()
        let box = Box()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    box.script.withLock { $0 }?.count.withLock { $0 += 1 }
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(Handler(lines))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let script = HTTP2Script(listener)
        box.script.withLock { $0 = script }
        return script
    }

    private init(_ listener: any Channel) {
        self.listener = listener
        port = listener.localAddress?.port ?? 0
        count = Mutex(0)
    }

    /// The number of connections that there ever were.
    var connections: Int { count.withLock { $0 } }

    func stop() async {
        try? await listener.close()
    }

    // MARK: Frames (RFC 9113, section 4.1)

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags, 0, 0, 0, stream]
            + payload
    }

    /// A frame HEADERS with these fields, which HPACK has as literals.
    static func head(_ stream: UInt8, _ fields: [(String, String)], isLast: Bool) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return frame(1, flags: isLast ? 5 : 4, stream: stream, block)
    }

    private final class Box: Sendable {
        let script = Mutex<HTTP2Script?>(nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let lines: Lines
        private var bytes: [UInt8] = []
        private var hasBegun = false
        /// The length of the client's preface.
        private static let preface = 24

        init(_ lines: Lines) {
            self.lines = lines
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes.append(contentsOf: unwrapInboundIn(data).readableBytesView)
            if !hasBegun {
                guard bytes.count >= Self.preface else { return }
                bytes.removeFirst(Self.preface)
                hasBegun = true
                say(lines.greeting, context)
            }
            while bytes.count >= 9 {
                let count = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
                guard bytes.count >= 9 + count else { return }
                let (type, flags, stream) = (bytes[3], bytes[4], bytes[8])
                bytes.removeFirst(9 + count)
                if type == 0, flags & 1 == 1 { say(lines.answer(stream), context) }
            }
        }

        private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
