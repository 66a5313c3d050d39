import Logging
import NIOCore
import NIOEmbedded
import RTCSignaling

func fuzzSignalingMessage(_ bytes: [UInt8]) {
    checkRoundTrip(ClientMessage.self, bytes)
    checkRoundTrip(ServerMessage.self, bytes)
}

/// What was accepted can be said again, and then means the same.
private func checkRoundTrip<Message: SignalingMessage>(_: Message.Type, _ bytes: [UInt8]) {
    guard let envelope = try? Envelope<Message>(json: bytes) else { return }
    // Types that are not known, and messages that are not to be used, lose their members.
    let text = envelope.json()
    guard let again = try? Envelope<Message>(json: text, limit: 8 * SignalingProtocol.maximumMessageSize) else {
        preconditionFailure("does not parse again: \(String(decoding: text, as: UTF8.self))")
    }
    precondition(again.seq == envelope.seq && again.ack == envelope.ack, "the number changed")
    precondition(again.message.type == envelope.message.type, "the type changed")
    guard envelope.message.isFaithful else { return }
    precondition(again == envelope, "means something else: \(String(decoding: text, as: UTF8.self))")
}

extension SignalingMessage {
    fileprivate var isFaithful: Bool {
        switch (self as? ClientMessage, self as? ServerMessage) {
        case (.unknown, _), (.malformed, _), (_, .unknown), (_, .malformed): false
        default: true
        }
    }
}

/// Bytes for three sockets of one server: HTTP, WebSocket frames, and messages in them.
func fuzzSignalingSocket(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let loop = EmbeddedEventLoop()
    var configuration = SignalingServer.Configuration()
    configuration.servesMetrics = true
    configuration.page = StaticPage(files: ["/index.html": .init(contentType: "text/html", text: "<p>")])
    configuration.logger.logLevel = .critical
    let server = ServerOnLoop(configuration, on: loop)
    var sockets: [FuzzSocket] = []
    for number in 0..<3 {
        let socket = FuzzSocket(server, loop)
        if number < 2 { socket.signIn(user: number) }
        sockets.append(socket)
    }

    var steps = 0
    while !input.isEmpty, steps < 200 {
        steps += 1
        let index = input.number(below: 3)
        var socket = sockets[index]
        switch input.number(below: 9) {
        case 0: socket.receive(input.chunk())
        case 1: socket.receive(FuzzSocket.frame(input.byte(), input.chunk()))
        case 2: loop.advanceTime(by: .milliseconds(Int64(input.byte()) * 300))
        case 3: socket.close()
        case 4: socket.receive(FuzzSocket.frame(0x81, input.mutate(FuzzSocket.message(&input))))
        case 8:
            // A request on a socket that is not signed in, and many bytes behind its head, at once or later.
            socket.close()
            socket = FuzzSocket(server, loop)
            sockets[index] = socket
            let head = FuzzSocket.head(&input)
            let bytes = head + [UInt8](repeating: input.byte(), count: input.number(below: 256) * 64)
            let split = input.number(below: 3) == 0 ? bytes.count : min(Int(input.byte()) * 16, bytes.count)
            socket.receive(Array(bytes[..<split]))
            socket.receive(Array(bytes[split...]))
            if input.number(below: 2) == 0 { socket.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
        default: socket.receive(FuzzSocket.frame(0x81, FuzzSocket.message(&input)))
        }
        if !socket.isOpen, let index = sockets.firstIndex(where: { $0 === socket }) {
            sockets[index] = FuzzSocket(server, loop)
            if input.number(below: 4) > 0 { sockets[index].signIn(user: index) }
        }
    }
    for socket in sockets { socket.close() }
    server.stop()
    loop.advanceTime(by: .seconds(600))
    precondition(server.statistics.sockets == 0, "a socket was forgotten")
}

/// A client's socket at a server on an embedded event loop.
final class FuzzSocket {
    private let channel: EmbeddedChannel
    /// The number of its next message, so that most of them are in order.
    private static let handshake = [
        "GET /signal HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", "",
    ].joined(separator: "\r\n")

    /// The head of a request that is upgraded, or not, or not complete.
    static func head(_ input: inout FuzzInput) -> [UInt8] {
        let method = ["GET", "POST", "HEAD"][input.number(below: 3)]
        let path = ["/", "/signal"][input.number(below: 2)]
        let body = ["", "Content-Length: 9000\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 1\r\n", "X: "]
        let field = body[input.number(below: body.count)]
        let head =
            input.number(below: 2) == 0
            ? handshake.replacing("Host:", with: field + "Host:")
            : "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n"
        return Array(head.utf8)
    }

    init(_ server: ServerOnLoop, _ loop: EmbeddedEventLoop) {
        channel = EmbeddedChannel(loop: loop)
        try? server.accept(channel)
        _ = try? channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    }

    var isOpen: Bool { channel.isActive }

    func signIn(user: Int) {
        receive(Array(Self.handshake.utf8))
        receive(Self.frame(0x81, Array(#"{"type":"hello","version":1,"user":"user\#(user)","device":"d"}"#.utf8)))
    }

    func receive(_ bytes: [UInt8]) {
        guard isOpen else { return }
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        // What has come waits for its turn.
        channel.embeddedEventLoop.run()
        while let sent = try? channel.readOutbound(as: ByteBuffer.self) {
            precondition(sent.readableBytes < 2_000_000, "an answer without bound")
        }
    }

    func close() {
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// - Parameter head: The first byte of the frame: whether it is the last, and what it is.
    static func frame(_ head: UInt8, _ payload: [UInt8]) -> [UInt8] {
        // A mask of zeros leaves the payload as it is.
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0xFE, UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
        return [head] + length + [0, 0, 0, 0] + payload
    }

    /// A message that makes sense, or nearly.
    static func message(_ input: inout FuzzInput) -> [UInt8] {
        let call = "0123456789abcde\(input.number(below: 4))"
        let user = "user\(input.number(below: 3))"
        let seq = input.number(below: 40)
        let members = [
            #""type":"invite","call":"\#(call)","to":{"user":"\#(user)"},"lifetime":5"#,
            #""type":"ringing","call":"\#(call)""#, #""type":"answer","call":"\#(call)""#,
            #""type":"reject","call":"\#(call)""#, #""type":"busy","call":"\#(call)""#,
            #""type":"cancel","call":"\#(call)""#, #""type":"hangup","call":"\#(call)""#,
            #""type":"candidates","call":"\#(call)","candidates":[{"candidate":"c"}]"#,
            #""type":"negotiate","call":"\#(call)","description":{"type":"offer","sdp":"v"}"#,
            #""type":"attach","call":"\#(call)","peer":{"user":"\#(user)","device":"d"},"caller":true"#,
            #""type":"attach","call":"\#(call)","peer":{"user":"\#(user)","device":"d"},"caller":false"#,
            #""type":"signal","to":{"user":"\#(user)"},"data":"AQID""#, #""type":"watch","users":["\#(user)"]"#,
            #""type":"bye""#, #""type":"ping""#, #""type":"iceServers""#,
        ]
        let message = members[input.number(below: members.count)]
        return Array("{\(message),\"seq\":\(seq)}".utf8)
    }
}
