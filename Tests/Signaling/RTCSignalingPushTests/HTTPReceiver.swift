import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server on this machine that takes requests, and answers as a test likes.
final class HTTPReceiver: Sendable {
    struct Request: Sendable {
        var head: HTTPRequestHead
        var body: [UInt8] = []
    }

    enum Answer: Sendable {
        case status(Int, String = "", [(String, String)] = [])
        case bytes([UInt8])
        /// The connection stays open.
        case open([UInt8])
        /// The connection is closed.
        case nothing
        /// The connection stays open.
        case silence
    }

    let port: Int
    private let channel: any Channel
    private let requests: Mutex<[Request]>
    private let answers: Mutex<[Answer]>

    /// - Parameter answers: For one request after the other; the last one for all that follow.
    static func start(_ answers: [Answer]) async throws -> HTTPReceiver {
        let box = Box()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(box))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let receiver = HTTPReceiver(channel, answers)
        box.receiver.withLock { $0 = receiver }
        return receiver
    }

    private init(_ channel: any Channel, _ answers: [Answer]) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
        requests = Mutex([])
        self.answers = Mutex(answers)
    }

    var received: [Request] { requests.withLock { $0 } }

    func stop() async throws {
        try await channel.close()
    }

    private func take(_ request: Request) -> Answer {
        requests.withLock { $0.append(request) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    private final class Box: Sendable {
        let receiver = Mutex<HTTPReceiver?>(nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let box: Box
        private var request: Request?

        init(_ box: Box) {
            self.box = box
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): request = Request(head: head)
            case .body(let part): request?.body.append(contentsOf: part.readableBytesView)
            case .end:
                guard let request, let receiver = box.receiver.withLock({ $0 }) else { return }
                answer(receiver.take(request), context)
            }
        }

        private func answer(_ answer: Answer, _ context: ChannelHandlerContext) {
            switch answer {
            case .silence: return
            case .nothing: context.close(promise: nil)
            case .open(let bytes): write(bytes, context)
            case .bytes(let bytes):
                write(bytes, context)
                context.close(promise: nil)
            case .status(let status, let body, let fields):
                var headers = HTTPHeaders(fields)
                headers.add(name: "content-length", value: "\(body.utf8.count)")
                let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        /// Past the encoder, which would refuse it.
        private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            encoder?.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
}
