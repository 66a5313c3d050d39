internal import RTCWire

/// The engine's state for one data channel: messages for the application, and tasks that wait for messages or for room
/// to send. Used on the event loop only.
final class ChannelMailbox {
    struct Reader {
        let ticket: Int
        let maximum: Int
        let continuation: CheckedContinuation<[DataChannel.Message], Never>
    }

    struct Sender {
        let ticket: Int
        /// The size of the message to be sent.
        let byteCount: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    let shared: DataChannel.Shared
    private(set) var messages = RingBuffer<DataChannel.Message>()
    private var readers: [Reader] = []
    private(set) var senders: [Sender] = []
    /// Whether the channel is in the engine's list of channels with waiting senders.
    var isWaitingToSend = false
    /// Whether the application has released the channel: it is closing, and arriving messages are dropped.
    var isAbandoned = false

    init(shared: DataChannel.Shared) {
        self.shared = shared
    }

    var hasReaders: Bool { !readers.isEmpty }

    func put(_ message: DataChannel.Message) {
        messages.append(message)
    }

    /// Takes up to `maximum` messages, with their total size in bytes.
    func take(upTo maximum: Int) -> (messages: [DataChannel.Message], byteCount: Int) {
        guard !messages.isEmpty else { return ([], 0) }
        var taken: [DataChannel.Message] = []
        taken.reserveCapacity(min(messages.count, maximum))
        var byteCount = 0
        while taken.count < maximum, let message = messages.popFirst() {
            byteCount += message.byteCount
            taken.append(message)
        }
        return (taken, byteCount)
    }

    func wait(_ reader: Reader) { readers.append(reader) }
    func wait(_ sender: Sender) { senders.append(sender) }

    func nextReader() -> Reader? { readers.isEmpty ? nil : readers.removeFirst() }

    /// Resumes all waiting senders.
    func releaseSenders() {
        let waiting = senders
        senders = []
        for sender in waiting { sender.continuation.resume() }
    }

    /// Resumes a cancelled task that still waits, without a result.
    func cancel(_ ticket: Int) {
        if let index = readers.firstIndex(where: { $0.ticket == ticket }) {
            readers.remove(at: index).continuation.resume(returning: [])
        }
        if let index = senders.firstIndex(where: { $0.ticket == ticket }) {
            senders.remove(at: index).continuation.resume()
        }
    }

    /// Resumes the readers of a closed, empty channel without messages.
    func release() {
        while let reader = nextReader() { reader.continuation.resume(returning: []) }
    }
}

extension DataChannel.Message {
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
