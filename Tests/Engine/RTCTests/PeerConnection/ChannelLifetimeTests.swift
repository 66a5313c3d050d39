import RTC
import Testing

@Suite("A data channel is open for as long as somebody has it", .timeLimit(.minutes(1)))
struct ChannelLifetimeTests {
    @Test("Letting go of one end closes the other, after what was sent before")
    func dropped() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        try await pair.offerer.createDataChannel("dropped").send("farewell")
        let other = try #require(await incoming.value)
        var received: [DataChannel.Message] = []
        for await message in other.messages { received.append(message) }
        #expect(received == [.text("farewell")])
        #expect(other.state == .closed)
        await pair.close()
    }

    @Test("A channel that nobody was told of is closed")
    func untold() async throws {
        let pair = try LoopbackPair()
        let channel = try await pair.offerer.createDataChannel("unheard")
        try await channel.waitUntilOpen()
        for await _ in channel.messages {}
        #expect(channel.state == .closed)
        await pair.close()
    }

    @Test("A loop over its messages, or its states, keeps it")
    func loops() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        var channel: DataChannel? = try await pair.offerer.createDataChannel("kept")
        try await channel?.waitUntilOpen()
        let other = try #require(await incoming.value)
        let messages = channel?.messages
        let states = channel?.stateChanges
        channel = nil
        let reader = Task {
            guard let messages else { return 0 }
            var count = 0
            for await _ in messages {
                count += 1
                if count == 2 { break }
            }
            return count
        }
        try await other.send("one")
        try await Task.sleep(for: .milliseconds(100))
        #expect(other.state == .open)
        try await other.send("two")
        #expect(await reader.value == 2)
        // The states are still there, and with them the channel, until they are closed from the other side.
        #expect(other.state == .open)
        await other.close()
        var last: DataChannel.State?
        if let states { for await state in states { last = state } }
        #expect(last == .closed)
        await pair.close()
    }

    @Test("An event that waits keeps the channel of a subscriber who is late")
    func late() async throws {
        let pair = try LoopbackPair()
        let events = pair.answerer.events
        let channel = try await pair.offerer.createDataChannel("late")
        try await channel.send("hello")
        try await Task.sleep(for: .milliseconds(200))
        #expect(channel.state == .open)
        for await case .dataChannel(let other) in events {
            #expect(await other.receive() == [.text("hello")])
            break
        }
        await pair.close()
    }
}
