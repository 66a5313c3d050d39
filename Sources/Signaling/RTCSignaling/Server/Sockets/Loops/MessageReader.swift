internal import NIOCore

/// Decodes messages where their socket is: those that a read has in one whole frame, one or two of them.
///
/// Everything else is left to the loop of the state, which has the bytes in any case: fragments, parts of frames, long messages, and many
/// at once, of which only that loop knows whose turn it is.
struct MessageReader {
    struct Message: Sendable {
        /// The number of bytes of the connection up to the end of its frame.
        var end: Int
        /// The length of its text.
        var length: Int
        var result: Result<Envelope<ClientMessage>, MalformedMessage>
    }

    private let limit: Int
    /// The number of bytes of the connection that were read.
    private var place: Int
    /// The number of bytes of an incomplete frame that are still to come.
    private var rest = 0
    /// Whether it is unknown where frames begin, because the head of one came in parts.
    private var isLost = false

    /// The most messages of a read that are decoded.
    private static let most = 2
    /// The length of the longest message that is decoded, in bytes.
    private static let longest = 4_096

    /// - Parameters:
    ///   - place: The number of bytes of the connection before the first frame.
    ///   - limit: The maximum length of a message in bytes.
    init(from place: Int, limit: Int) {
        self.place = place
        self.limit = limit
    }

    /// Takes what was received next.
    mutating func read(_ bytes: ByteBuffer, _ budget: DecodingBudget) -> [Message] {
        guard !isLost else { return [] }
        var bytes = bytes
        skip(min(rest, bytes.readableBytes), of: &bytes)
        var messages: [Message] = []
        while rest == 0, bytes.readableBytes > 0 {
            guard let frame = FrameLength(bytes) else {
                isLost = true
                break
            }
            rest = frame.total
            let count = min(frame.total, bytes.readableBytes)
            if count == frame.total, messages.count < Self.most, budget.isLeft,
                let text = self.text(of: frame, bytes)
            {
                let result = budget.spend { decode(text) }
                messages.append(Message(end: place + count, length: text.count, result: result))
            }
            skip(count, of: &bytes)
        }
        return messages
    }

    private mutating func skip(_ count: Int, of bytes: inout ByteBuffer) {
        bytes.moveReaderIndex(forwardBy: count)
        rest -= count
        place += count
    }

    private func decode(_ text: [UInt8]) -> Result<Envelope<ClientMessage>, MalformedMessage> {
        do throws(MalformedMessage) {
            return .success(try Envelope(json: text, limit: limit))
        } catch {
            return .failure(error)
        }
    }

    /// The text of a frame that is a whole text message (RFC 6455, section 5.2); `nil` if it is any other, or long.
    private func text(of frame: FrameLength, _ bytes: ByteBuffer) -> [UInt8]? {
        let start = bytes.readerIndex
        // The last fragment of a text without reserved bits, and a mask.
        guard bytes.getInteger(at: start, as: UInt8.self) == 0x81,
            let second = bytes.getInteger(at: start + 1, as: UInt8.self), second & 0x80 != 0,
            frame.payload <= Self.longest
        else { return nil }
        let head = frame.total - frame.payload
        guard head >= 6, let mask = bytes.getBytes(at: start + head - 4, length: 4),
            var text = bytes.getBytes(at: start + head, length: frame.payload)
        else { return nil }
        for index in text.indices { text[index] ^= mask[index & 3] }
        return text
    }
}

/// How much of its time one loop decodes, so that a flood at some of its sockets does not delay the others: what is beyond it is decoded
/// when its turn comes.
final class DecodingBudget {
    private let loop: any EventLoop
    private var start: NIODeadline
    private var used: TimeAmount = .nanoseconds(0)

    private static let window: TimeAmount = .milliseconds(5)
    private static let most: TimeAmount = .milliseconds(2)

    init(_ loop: any EventLoop) {
        self.loop = loop
        start = loop.now
    }

    /// Whether something may be decoded now.
    var isLeft: Bool {
        let now = loop.now
        if now - start >= Self.window { (start, used) = (now, .nanoseconds(0)) }
        return used < Self.most
    }

    /// Counts the time of some decoding.
    func spend<Result>(_ body: () -> Result) -> Result {
        let begin = loop.now
        defer { used = used + (loop.now - begin) }
        return body()
    }
}
