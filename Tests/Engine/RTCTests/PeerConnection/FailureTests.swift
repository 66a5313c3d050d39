import RTC
import Testing

@Suite("What a connection says when it cannot work", .timeLimit(.minutes(1)))
struct FailureTests {
    @Test("An address that this machine does not have fails the connection, with the code for the network")
    func noSocket() async throws {
        var configuration = PeerConnection.Configuration()
        configuration.network.bindAddress = .init(192, 0, 2, 1)
        let connection = try PeerConnection(configuration: configuration)
        let channel = try await connection.createDataChannel("data")
        await #expect { try await channel.waitUntilOpen() } throws: { ($0 as? RTCError)?.code == .network }
        await #expect { try await channel.send("data") } throws: { ($0 as? RTCError)?.code == .network }
        #expect(await connection.connectionState == .failed)
        #expect(await connection.failureReason?.contains("192.0.2.1") == true)
        await connection.close()
    }

    @Test(
        "A configuration that makes no sense is refused, and the error names what is wrong",
        arguments: ["maximumMessageSize", "sendBufferLimit", "receiveBufferLimit", "port range"])
    func configuration(name: String) {
        for size in [0, -1, Int.max] {
            var configuration = PeerConnection.Configuration()
            switch name {
            case "maximumMessageSize": configuration.maximumMessageSize = size
            case "sendBufferLimit": configuration.sendBufferLimit = size
            case "receiveBufferLimit": configuration.receiveBufferLimit = size
            default: configuration.network.portRange = 0...9
            }
            let error = #expect(throws: RTCError.self) { try PeerConnection(configuration: configuration) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test("When many channels are busy their senders wait for each other, and nothing is refused")
    func manyBusyChannels() async throws {
        let pair = try LoopbackPair()
        let events = pair.answerer.events
        let (channelCount, messageCount, size) = (24, 4, 262_144)
        var channels: [DataChannel] = []
        for number in 0..<channelCount { channels.append(try await pair.offerer.createDataChannel("\(number)")) }
        try await channels[0].waitUntilOpen()
        let senders = channels.map { channel in
            Task {
                let message = [UInt8](repeating: 1, count: size)
                for _ in 0..<messageCount { try await channel.send(message) }
            }
        }
        // 24 MiB are to be sent, and nobody reads yet.
        try await Task.sleep(for: .milliseconds(500))
        let received = await withTaskGroup(of: Int.self) { group in
            var accepted = 0
            for await case .dataChannel(let channel) in events {
                group.addTask {
                    var bytes = 0
                    for await case .binary(let message) in channel.messages {
                        bytes += message.count
                        if bytes == messageCount * size { break }
                    }
                    return bytes
                }
                accepted += 1
                if accepted == channelCount { break }
            }
            return await group.reduce(0, +)
        }
        for sender in senders { try await sender.value }
        #expect(received == channelCount * messageCount * size)
        await pair.close()
    }
}
