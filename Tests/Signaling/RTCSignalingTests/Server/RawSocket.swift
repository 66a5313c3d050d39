import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import RTCSignaling

/// A TCP connection that sends whatever bytes it is told to, and never more.
final class RawSocket: Sendable {
    private let channel: any Channel

    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let onBytes: @Sendable ([UInt8]?) -> Void

        init(_ onBytes: @escaping @Sendable ([UInt8]?) -> Void) {
            self.onBytes = onBytes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            onBytes(Array(unwrapInboundIn(data).readableBytesView))
        }

        func channelInactive(context: ChannelHandlerContext) {
            onBytes(nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private let box: Box

    /// - Parameter port: That of a server in front of it, if there is one.
    init(_ server: SignalingServer, port: Int? = nil, reads: Bool = true) async throws {
        let box = Box()
        self.box = box
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.pipeline.addHandler(
                    Collector { bytes in
                        box.state.withLock { state in
                            if let bytes { state.bytes += bytes } else { state.isClosed = true }
                        }
                    })
            }
            .connect(host: "127.0.0.1", port: port ?? server.port).get()
    }

    func send(_ bytes: [UInt8]) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Waits until that many bytes could be sent, which is never if the server does not read.
    func sendAndWait(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(channel.allocator.buffer(bytes: bytes)).get()
    }

    var isClosed: Bool { box.state.withLock { $0.isClosed } }

    func close() async {
        try? await channel.close().get()
    }

    func waitUntilClosed(_ time: Duration = .seconds(10)) async throws {
        try await within(time) { [self] in
            while !isClosed { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    /// Takes all that came up to this text, and the text.
    func read(until end: String) async throws -> String {
        let end = Array(end.utf8)
        return try await within { [self] in
            while true {
                let found = box.state.withLock { state -> [UInt8]? in
                    guard let range = state.bytes.firstRange(of: end) else { return nil }
                    defer { state.bytes.removeFirst(range.upperBound) }
                    return Array(state.bytes[..<range.upperBound])
                }
                if let found { return String(decoding: found, as: UTF8.self) }
                if isClosed { throw TimedOut() }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    /// Takes all that came until the connection was closed.
    func readAll() async throws -> String {
        try await waitUntilClosed()
        return box.state.withLock { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

// MARK: - WebSocket by hand

extension RawSocket {
    static let handshake = """
        GET /signal HTTP/1.1\r
        Host: localhost\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: chat, duet.signaling.v1\r
        \r

        """

    @discardableResult
    func open() async throws -> String {
        send(Self.handshake)
        return try await read(until: "\r\n\r\n")
    }

    func signIn(_ user: String, device: String = "raw") async throws {
        try await open()
        sendText(#"{"type":"hello","version":1,"user":"\#(user)","device":"\#(device)"}"#)
        #expect(try await nextMessage()?.message.type == "welcome")
    }

    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, isMasked: Bool = true, length: UInt64? = nil
    ) -> [UInt8] {
        let length = length ?? UInt64(payload.count)
        var bytes = [(fin ? 0x80 : 0) | opcode]
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        if length < 126 {
            bytes.append(maskBit | UInt8(length))
        } else if length < 65_536 {
            bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 255)]
        } else {
            bytes.append(maskBit | 127)
            bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        if isMasked { bytes += mask }
        bytes += payload.enumerated().map { isMasked ? $1 ^ mask[$0 & 3] : $1 }
        return bytes
    }

    func sendText(_ text: String) {
        send(Self.frame(1, Array(text.utf8)))
    }

    struct Frame: Sendable {
        var opcode: UInt8
        var payload: [UInt8]

        /// The status of a close frame.
        var status: UInt16? {
            guard opcode == 8, payload.count >= 2 else { return nil }
            return UInt16(payload[0]) << 8 | UInt16(payload[1])
        }
    }

    /// The next frame of the server; `nil` when there will be none.
    func nextFrame() async throws -> Frame? {
        try await within { [self] in
            while true {
                let closed = isClosed
                if let frame = box.state.withLock({ Self.takeFrame(&$0.bytes) }) { return frame }
                if closed { return nil }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    private static func takeFrame(_ bytes: inout [UInt8]) -> Frame? {
        guard bytes.count >= 2 else { return nil }
        var start = 2
        var length = Int(bytes[1] & 0x7F)
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            (start, length) = (4, Int(bytes[2]) << 8 | Int(bytes[3]))
        } else if length == 127 {
            guard bytes.count >= 10 else { return nil }
            (start, length) = (10, bytes[2..<10].reduce(0) { $0 << 8 | Int($1) })
        }
        guard bytes.count >= start + length else { return nil }
        defer { bytes.removeFirst(start + length) }
        return Frame(opcode: bytes[0] & 15, payload: Array(bytes[start..<(start + length)]))
    }

    /// The next message that is no acknowledgement.
    func nextMessage() async throws -> Envelope<ServerMessage>? {
        while let frame = try await nextFrame() {
            guard frame.opcode == 1 else { continue }
            let envelope = try Envelope<ServerMessage>(json: frame.payload, limit: 1_000_000)
            if envelope.message != .ack { return envelope }
        }
        return nil
    }

    /// The status with which the server closes, and the last error before it.
    func closing() async throws -> (status: UInt16?, error: SignalingErrorCode?) {
        var error: SignalingErrorCode?
        while let frame = try await nextFrame() {
            if frame.opcode == 8 { return (frame.status, error) }
            guard frame.opcode == 1 else { continue }
            if case .error(let message) = try Envelope<ServerMessage>(json: frame.payload, limit: 1_000_000).message {
                error = message.code
            }
        }
        return (nil, error)
    }
}
