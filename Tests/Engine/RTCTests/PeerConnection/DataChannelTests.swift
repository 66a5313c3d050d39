import RTC
import Testing

@Suite("Data channels between two connections", .timeLimit(.minutes(1)))
struct DataChannelTests {
    @Test("Text, bytes and empty messages arrive as they were sent, in order")
    func messagesArrive() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        let channel = try await pair.offerer.createDataChannel("chat")
        let sent: [DataChannel.Message] = [
            .text("hello"), .binary([1, 2, 3]), .text(""), .binary([]), .text("grüße 👋"),
            .binary([UInt8](repeating: 7, count: 262_144)),
        ]
        for message in sent {
            switch message {
            case .text(let text): try await channel.send(text)
            case .binary(let bytes): try await channel.send(bytes)
            }
        }
        let other = try #require(await incoming.value)
        #expect(other.label == "chat")
        var received: [DataChannel.Message] = []
        for await message in other.messages {
            received.append(message)
            if received.count == sent.count { break }
        }
        #expect(received == sent)
        await pair.close()
    }

    @Test("A batch arrives whole, and an echo comes back")
    func batches() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        let channel = try await pair.offerer.createDataChannel("batch")
        let echo = Task {
            guard let other = await incoming.value else { return }
            while true {
                let messages = await other.receive()
                if messages.isEmpty { break }
                try await other.send(contentsOf: messages)
            }
        }
        let sent = (0..<5_000).map { DataChannel.Message.text("message \($0)") }
        try await channel.send(contentsOf: sent)
        var received: [DataChannel.Message] = []
        while received.count < sent.count {
            let messages = await channel.receive()
            if messages.isEmpty { break }
            received += messages
        }
        #expect(received == sent)
        await pair.close()
        _ = try? await echo.value
    }

    @Test("A sender waits while the buffer is full, and nothing is lost")
    func backPressure() async throws {
        let pair = try LoopbackPair {
            $0.sendBufferLimit = 65_536; $0.receiveBufferLimit = 131_072
        }
        let incoming = LoopbackPair.incoming(pair.answerer)
        let channel = try await pair.offerer.createDataChannel("bulk")
        try await channel.waitUntilOpen()
        let sender = Task {
            for number in 0..<400 { try await channel.send([UInt8](repeating: UInt8(number & 255), count: 16_384)) }
        }
        let other = try #require(await incoming.value)
        // Nobody reads yet: the sender has to stop.
        try await Task.sleep(for: .milliseconds(200))
        #expect(await channel.bufferedAmount <= 65_536 + 16_384)
        var count = 0
        for await message in other.messages {
            guard case .binary(let bytes) = message else { break }
            #expect(bytes.count == 16_384 && bytes[0] == UInt8(count & 255))
            count += 1
            if count == 400 { break }
        }
        #expect(count == 400)
        try await sender.value
        await pair.close()
    }

    @Test("Closing one channel ends both its ends, and leaves the others open")
    func closeOne() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        let first = try await pair.offerer.createDataChannel("first")
        try await first.waitUntilOpen()
        let other = try #require(await incoming.value)
        let incomingSecond = LoopbackPair.incoming(pair.answerer)
        let second = try await pair.offerer.createDataChannel("second")
        try await second.waitUntilOpen()
        let otherSecond = try #require(await incomingSecond.value)
        let changes = first.stateChanges
        await first.close()
        for await state in changes where state == .closed { break }
        #expect(first.state == .closed)
        for await _ in other.messages {}
        #expect(second.state == .open && otherSecond.state == .open)
        await #expect(throws: RTCError.self) { try await first.send("too late") }
        await pair.close()
        #expect(second.state == .closed)
    }

    @Test("A message larger than the other peer takes is refused with an error that says so")
    func tooLarge() async throws {
        let pair = try LoopbackPair { $0.maximumMessageSize = 65_536 }
        let channel = try await pair.offerer.createDataChannel("small")
        try await channel.waitUntilOpen()
        await #expect {
            try await channel.send([UInt8](repeating: 0, count: 65_537))
        } throws: { ($0 as? RTCError)?.code == .messageTooLarge }
        await pair.close()
    }

    @Test("A cancelled reader returns at once")
    func cancelledReader() async throws {
        let pair = try LoopbackPair()
        let channel = try await pair.offerer.createDataChannel("quiet")
        try await channel.waitUntilOpen()
        let reader = Task { await channel.receive() }
        try await Task.sleep(for: .milliseconds(20))
        reader.cancel()
        #expect(await reader.value.isEmpty)
        await pair.close()
    }

    @Test("A loop that is left early takes no message with it")
    func leavingEarly() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        let channel = try await pair.offerer.createDataChannel("numbers")
        try await channel.send(contentsOf: (0..<10).map { .text("\($0)") })
        let other = try #require(await incoming.value)
        var received: [DataChannel.Message] = []
        while received.count < 10 {
            for await message in other.messages {
                received.append(message)
                if received.count % 3 == 0 { break }
                if received.count == 10 { break }
            }
        }
        #expect(received == (0..<10).map { .text("\($0)") })
        await pair.close()
    }

    @Test("Messages that are read after a channel has closed give their share of the window back")
    func readAfterClose() async throws {
        let pair = try LoopbackPair { $0.receiveBufferLimit = 131_072 }
        for round in 0..<12 {
            let incoming = LoopbackPair.incoming(pair.answerer)
            let channel = try await pair.offerer.createDataChannel("round \(round)")
            try await channel.send([UInt8](repeating: 1, count: 60_000))
            let other = try #require(await incoming.value)
            let changes = other.stateChanges
            await channel.close()
            if other.state != .closed {
                for await state in changes where state == .closed { break }
            }
            var bytes = 0
            for await case .binary(let message) in other.messages { bytes += message.count }
            #expect(bytes == 60_000)
        }
        await pair.close()
    }

    @Test("A channel that is being closed says so, and a sender learns it")
    func closing() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        let channel = try await pair.offerer.createDataChannel("short")
        try await channel.waitUntilOpen()
        let other = try #require(await incoming.value)
        await channel.close()
        #expect(channel.state != .open)
        await #expect(throws: RTCError.self) { try await channel.send("too late") }
        for await _ in other.messages {}
        await pair.close()
    }
}
