import RTC
import Testing

@testable import duet

@Suite("The queue of unsent messages")
struct MessageQueueTests {
    @Test("First in, first out, over many messages, and a message that is put back comes first")
    func order() {
        var queue = MessageQueue()
        var (next, expected) = (0, 0)
        for round in 0..<5_000 {
            for _ in 0...(round % 3) {
                queue.append(.text(String(next)))
                next += 1
            }
            guard let message = queue.popFirst() else { continue }
            #expect(message == .text(String(expected)))
            if round % 7 == 0 {
                queue.prepend(message)
            } else {
                expected += 1
            }
        }
        while let message = queue.popFirst() {
            #expect(message == .text(String(expected)))
            expected += 1
        }
        #expect(expected == next && queue.isEmpty)
    }
}
