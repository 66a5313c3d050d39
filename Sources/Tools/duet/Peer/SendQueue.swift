import RTC

/// Messages for one label, in order, until a channel takes them.
struct SendQueue {
    var messages = MessageQueue()
    /// Whether a task is sending them.
    var isRunning = false
}

/// A queue with cheap removal at the front.
struct MessageQueue {
    private var items: [DataChannel.Message] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    mutating func append(_ message: DataChannel.Message) {
        items.append(message)
    }

    /// Puts a message back to the front.
    mutating func prepend(_ message: DataChannel.Message) {
        if head > 0 {
            head -= 1
            items[head] = message
        } else {
            items.insert(message, at: 0)
        }
    }

    mutating func popFirst() -> DataChannel.Message? {
        guard head < items.count else { return nil }
        let message = items[head]
        // The place is kept for a while, but not the bytes.
        items[head] = .text("")
        head += 1
        if head == items.count || head >= 1024 {
            items.removeFirst(head)
            head = 0
        }
        return message
    }
}
