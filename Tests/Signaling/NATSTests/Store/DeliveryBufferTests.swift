import Testing

@testable import NATS

@Suite("What waits for a subscription's reader")
struct DeliveryBufferTests {
    private static func message(_ number: Int, size: Int = 0) -> NATSMessage {
        NATSMessage(subject: NATSSubject(unchecked: "s"), payload: [UInt8(number)] + [UInt8](repeating: 0, count: size))
    }

    private static func next(_ buffer: DeliveryBuffer) async -> NATSDelivery? {
        if case .delivery(let delivery) = await buffer.next() { delivery } else { nil }
    }

    @Test("A slow reader is told how many messages are missing, and where")
    func overflow() async {
        let buffer = DeliveryBuffer(NATSClient.BufferLimits(messages: 3, bytes: 1_000_000))
        for number in 0..<10 { buffer.push(Self.message(number)) }
        for number in 0..<3 {
            let delivery = await Self.next(buffer)
            #expect(delivery == .message(Self.message(number)))
        }
        buffer.push(Self.message(10))
        let lost = await Self.next(buffer)
        #expect(lost == .lost(.overflow(messages: 7)))
        let message = await Self.next(buffer)
        #expect(message == .message(Self.message(10)))
    }

    @Test("It is told at the end as well")
    func overflowAtTheEnd() async {
        let buffer = DeliveryBuffer(NATSClient.BufferLimits(messages: 1, bytes: 1_000_000))
        for number in 0..<3 { buffer.push(Self.message(number)) }
        buffer.end(nil)
        buffer.push(Self.message(9))
        let deliveries = [await Self.next(buffer), await Self.next(buffer), await Self.next(buffer)]
        #expect(deliveries == [.message(Self.message(0)), .lost(.overflow(messages: 2)), nil])
    }

    @Test("Bytes are limited too, but one message always fits")
    func bytes() async {
        let buffer = DeliveryBuffer(NATSClient.BufferLimits(messages: 100, bytes: 2_000))
        buffer.push(Self.message(0, size: 5_000))
        buffer.push(Self.message(1))
        let first = await Self.next(buffer)
        #expect(first == .message(Self.message(0, size: 5_000)))
        for number in 2..<8 { buffer.push(Self.message(number, size: 700)) }
        var kept = 0
        buffer.end(nil)
        while let delivery = await Self.next(buffer) { if delivery.message != nil { kept += 1 } }
        #expect(kept == 2)
    }

    @Test("Losses do not fill memory")
    func losses() async {
        let buffer = DeliveryBuffer(NATSClient.BufferLimits(messages: 4, bytes: 1_000))
        for number in 0..<1_000 {
            buffer.lose(number % 2 == 0 ? .reconnection : .invalid)
            buffer.lose(.reconnection)
        }
        buffer.end(nil)
        var count = 0
        while await Self.next(buffer) != nil { count += 1 }
        #expect(count <= 6)
    }

    @Test("A waiting reader is served, cancelled and ended")
    func waiting() async {
        let buffer = DeliveryBuffer(NATSClient.BufferLimits())
        async let delivery = Self.next(buffer)
        await Task.yield()
        buffer.push(Self.message(1))
        let served = await delivery
        #expect(served == .message(Self.message(1)))

        let task = Task { await Self.next(buffer) }
        task.cancel()
        let cancelled = await task.value
        #expect(cancelled == nil)

        async let end = Self.next(buffer)
        buffer.end(NATSError(.closed, "closed"))
        let ended = await end
        #expect(ended == nil)
        guard case .end(let error?) = await buffer.next() else { return #expect(Bool(false)) }
        #expect(error.code == .closed)
    }
}
