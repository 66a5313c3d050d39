internal import NIOCore
internal import NIOTLS

/// Holds the bytes of a socket until it is its turn, and reads no more before.
///
/// It is in front of all parsers, and passes on one HTTP request or one WebSocket frame at a time.
final class InboundQueue: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    private let scheduler: InputScheduler
    private let socket: ServerSocket
    private var context: ChannelHandlerContext?
    private var waiting = ByteBuffer()
    /// When the oldest of the waiting bytes, or of those that are being served, arrived.
    private(set) var arrival: NIODeadline?
    private var wantsRead = false
    /// The remaining bytes of a frame that was passed on in part.
    private var restOfFrame = 0
    /// How much of `\r\n\r\n`, the end of an HTTP head, was found.
    private var headEnd = 0
    /// Whether the socket has sent far too much: everything is discarded until it is closed.
    private var isDiscarding = false
    /// Whether something that was received was discarded.
    private(set) var hasDropped = false
    /// Whether the frames of the waiting bytes were counted, which takes its turn as well.
    private var isCounted = true

    /// The number of bytes read at once.
    static let capacity = 8_192
    /// The maximum number of waiting bytes. More arrive at once only from a client that has closed its side, and are discarded.
    private static let most = 131_072
    /// The number of frames that are processed of a closed socket, without waiting for its turn: a hang-up, candidates, `bye`.
    private static let framesAfterClose = 8

    /// Returns whether this number of frames at once is allowed; otherwise the socket is closed.
    private let isFrameCountAllowed: (Int) -> Bool

    init(_ scheduler: InputScheduler, _ socket: ServerSocket, isFrameCountAllowed: @escaping (Int) -> Bool) {
        self.scheduler = scheduler
        self.socket = socket
        self.isFrameCountAllowed = isFrameCountAllowed
    }

    /// Whether there is something to pass on.
    var isReady: Bool { nextCount > 0 }

    /// The memory of incomplete messages, in bytes.
    var heldBytes: Int {
        (waiting.readableBytes > 0 ? waiting.storageCapacity : 0) + (restOfFrame > 0 ? passedBytes : 0)
    }

    /// The estimated cost of the next message, from its beginning: watching many users is expensive.
    var expectedCost: Double {
        guard hasFrames, restOfFrame == 0 else { return 1 }
        guard let frame = FrameLength(waiting), !frame.isCheapMessage(waiting) else { return 1 }
        return 1 + Double(min(frame.payload, 480)) / 24
    }

    /// The bytes that were not passed on.
    var waitingBytes: Int { waiting.readableBytes }

    /// The bytes of an incomplete frame that were passed on.
    private var passedBytes = 0

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        socket.inbound = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isDiscarding, waiting.readableBytes <= Self.most else {
            hasDropped = true
            return
        }
        if waiting.readableBytes == 0 {
            waiting = bytes
            arrival = context.eventLoop.now
        } else {
            waiting.writeBuffer(&bytes)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isCounted = waiting.readableBytes < 1_024
        waiting.fit()
        if isReady { scheduler.add(socket) } else { readIfWanted(context) }
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = true
        if !isReady { readIfWanted(context) }
    }

    private func readIfWanted(_ context: ChannelHandlerContext) {
        guard wantsRead, socket.state != .upgrading else { return }
        wantsRead = false
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The last frames are processed, unless the socket has exceeded its limits, or hundreds close at once.
        for _ in 0..<Self.framesAfterClose where isReady && scheduler.mayServeClosed(of: socket) {
            _ = scheduler.serve(socket)
        }
        waiting = ByteBuffer()
        context.fireChannelInactive()
    }

    /// The number of frames that begin in the waiting bytes. Acknowledgements do not count, since others cause them.
    private var frameCount: Int {
        var rest = waiting
        rest.moveReaderIndex(forwardBy: min(restOfFrame, rest.readableBytes))
        var count = 0
        while let frame = FrameLength(rest) {
            if !frame.isAcknowledgement(rest) { count += 1 }
            rest.moveReaderIndex(forwardBy: min(frame.total, rest.readableBytes))
        }
        return count
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { socket.handshake?.end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Passes on the next request or frame, or the available part of it.
    ///
    /// - Returns: Whether it was complete.
    func serve() -> Bool {
        guard let context else {
            waiting = ByteBuffer()
            return true
        }
        defer { if !isReady, self.context != nil { readIfWanted(context) } }
        let isFraming = hasFrames
        if isFraming, !isCounted {
            isCounted = true
            guard isFrameCountAllowed(frameCount) else {
                isDiscarding = true
                waiting = ByteBuffer()
                return true
            }
        }
        passOn(context, isFraming)
        return isFraming ? restOfFrame == 0 : headEnd == 0
    }

    private func passOn(_ context: ChannelHandlerContext, _ isFraming: Bool) {
        let count = nextCount
        guard count > 0, let part = waiting.readSlice(length: count) else { return }
        if isFraming { advanceFrame(part) } else { advanceHead(part) }
        if waiting.readableBytes == 0 { waiting = ByteBuffer() }
        context.fireChannelRead(wrapInboundOut(part))
        context.fireChannelReadComplete()
    }

    /// Goes on after an upgrade.
    func resume() {
        guard let context else { return }
        if isReady { scheduler.add(socket) } else { readIfWanted(context) }
    }

    /// Whether the waiting bytes are frames: they follow an upgrade request that was accepted. What follows any other request is
    /// its body or the next one, whatever it looks like.
    private var hasFrames: Bool { socket.state != .http }

    private func advanceFrame(_ part: ByteBuffer) {
        if restOfFrame > 0 {
            restOfFrame -= part.readableBytes
            passedBytes += part.readableBytes
        } else {
            restOfFrame = (FrameLength(part)?.total ?? 0) - part.readableBytes
            passedBytes = part.readableBytes
        }
    }

    /// The number of bytes to pass on next; zero if there are too few to know.
    private var nextCount: Int {
        let count = waiting.readableBytes
        guard count > 0, socket.state != .upgrading else { return 0 }
        guard hasFrames else { return headCount }
        if restOfFrame > 0 { return min(restOfFrame, count) }
        guard let frame = FrameLength(waiting) else { return 0 }
        return min(frame.total, count)
    }

    /// The number of bytes up to the end of a request's head, if it is there.
    private var headCount: Int {
        var (matched, count) = (headEnd, 0)
        for byte in waiting.readableBytesView {
            matched = Self.matched(matched, byte)
            count += 1
            if matched == 4 { break }
        }
        return count
    }

    private func advanceHead(_ part: ByteBuffer) {
        socket.requestBytes += part.readableBytes
        for byte in part.readableBytesView { headEnd = Self.matched(headEnd, byte) }
        if headEnd == 4 { headEnd = 0 }
    }

    private static func matched(_ count: Int, _ byte: UInt8) -> Int {
        let end: StaticString = "\r\n\r\n"
        if count < 4, byte == end.utf8Start[count] { return count + 1 }
        return byte == 13 ? 1 : 0
    }
}

extension ByteBuffer {
    /// Releases a buffer that is much larger than its content, since a few bytes may wait for long on many sockets.
    mutating func fit() {
        if readableBytes > 0, readableBytes < storageCapacity / 4 { self = ByteBuffer(bytes: readableBytesView) }
    }
}

/// The length of a WebSocket frame, from its head: RFC 6455, section 5.2.
struct FrameLength {
    let total: Int
    let payload: Int
    private let head: Int

    /// - Returns: `nil` if the head is incomplete.
    init?(_ bytes: ByteBuffer) {
        let start = bytes.readerIndex
        guard let second = bytes.getInteger(at: start + 1, as: UInt8.self) else { return nil }
        var head = 2 + (second & 0x80 == 0 ? 0 : 4)
        switch second & 0x7F {
        case 126:
            guard let length = bytes.getInteger(at: start + 2, as: UInt16.self) else { return nil }
            (head, payload) = (head + 2, Int(length))
        case 127:
            guard let length = bytes.getInteger(at: start + 2, as: UInt64.self) else { return nil }
            // Longer frames are refused when their head is read.
            (head, payload) = (head + 8, Int(clamping: min(length, 1 << 24)))
        case let length: payload = Int(length)
        }
        total = head + payload
        self.head = head
        // The mask is part of the head.
        guard bytes.readableBytes >= head else { return nil }
    }

    /// Whether the frame at the beginning of `bytes` is an `ack`, as clients write it.
    func isAcknowledgement(_ bytes: ByteBuffer) -> Bool {
        payload <= 64 && begins(bytes, with: #"{"type":"ack""#)
    }

    /// Whether the frame at the beginning of `bytes` is a cheap message, as clients write it: all except `watch`.
    func isCheapMessage(_ bytes: ByteBuffer) -> Bool {
        begins(bytes, with: #"{"type":""#) && !begins(bytes, with: #"{"type":"w"#)
    }

    private func begins(_ bytes: ByteBuffer, with beginning: StaticString) -> Bool {
        guard payload >= beginning.utf8CodeUnitCount, head >= 6 else { return false }
        let start = bytes.readerIndex
        guard let text = bytes.getBytes(at: start + head, length: beginning.utf8CodeUnitCount),
            let mask = bytes.getBytes(at: start + head - 4, length: 4)
        else { return false }
        return text.indices.allSatisfy { text[$0] ^ mask[$0 & 3] == beginning.utf8Start[$0] }
    }
}
