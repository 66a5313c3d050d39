import RTCWire
import Testing

@testable import RTCTransport

@Suite("Data channels carry messages (RFC 8831)")
struct DataChannelMessageTests {
    /// A link with one open channel.
    private func opened(
        _ parameters: DataChannelParameters = DataChannelParameters(label: "x"),
        configuration: SCTPConfiguration = SCTPConfiguration(), maximumMessageSize: Int = 262_144,
        conditions: LinkConditions = LinkConditions(), seed: UInt64 = 1
    ) throws -> (
        link: ChannelLink, local: ChannelLog.ID, remote: ChannelLog.ID
    ) {
        var link = ChannelLink(configuration: configuration, conditions: conditions, seed: seed)
        let local = try link.a.open(parameters, at: link.now)
        link.start(maximumMessageSize: maximumMessageSize)
        var a = ChannelLog()
        var b = ChannelLog()
        link.run(
            for: .seconds(60),
            react: { link in
                a.take(&link.a, at: link.now)
                b.take(&link.b, at: link.now)
            }, until: { _ in a.opened.count == 1 && b.incoming.count == 1 })
        link.run(for: .seconds(1)) { a.take(&$0.a, at: $0.now) }
        return (link, local, try #require(b.incoming.first))
    }

    @Test("text, binary and empty messages, in order, both ways")
    func kinds() throws {
        var (link, local, remote) = try opened()
        let messages = [
            DataChannelMessage("héllo"), DataChannelMessage(""), DataChannelMessage(bytes: [0, 255], isText: false),
            DataChannelMessage(bytes: [], isText: false),
            DataChannelMessage(bytes: [UInt8](repeating: 3, count: 262_144), isText: false),
        ]
        for message in messages {
            try link.a.send(message, on: local, at: link.now)
            try link.b.send(message, on: remote, at: link.now)
        }
        var a = ChannelLog()
        var b = ChannelLog()
        link.run(for: .seconds(10)) { link in
            a.take(&link.a, at: link.now)
            b.take(&link.b, at: link.now)
        }
        #expect(a.messages(on: local) == messages)
        #expect(b.messages(on: remote) == messages)
        let sent = try #require(link.a.statistics(of: local))
        let received = try #require(link.b.statistics(of: remote))
        #expect(sent.messagesSent == 5 && sent.bytesSent == 262_152)
        #expect(received.messagesReceived == 5 && received.bytesReceived == 262_152)
        #expect(link.b.association.window.buffered == 0)
        #expect(link.a.totalBufferedAmount == 0)
    }

    @Test("messages larger than the peer accepts are refused; 0 stands for no limit")
    func limit() throws {
        var (link, local, _) = try opened(maximumMessageSize: 1_000)
        let large = DataChannelMessage(bytes: [UInt8](repeating: 0, count: 1_001), isText: false)
        #expect(code { try link.a.send(large, on: local, at: link.now) } == .messageTooLarge)
        try link.a.send(
            DataChannelMessage(bytes: [UInt8](repeating: 0, count: 1_000), isText: false), on: local, at: link.now)
        link.a.setRemoteMaximumMessageSize(0)
        try link.a.send(large, on: local, at: link.now)
    }

    @Test("a full send buffer is refused, and tells when there is room again")
    func buffer() throws {
        var configuration = SCTPConfiguration()
        configuration.sendBufferLimit = 100_000
        var (link, local, _) = try opened(configuration: configuration)
        var a = ChannelLog()
        a.take(&link.a, at: link.now)
        link.a.setBufferedAmountLowThreshold(20_000, of: local)
        let message = DataChannelMessage(bytes: [UInt8](repeating: 0, count: 10_000), isText: false)
        for _ in 0..<10 { try link.a.send(message, on: local, at: link.now) }
        #expect(link.a.bufferedAmount(of: local) == 100_000)
        #expect(code { try link.a.send(message, on: local, at: link.now) } == .sendBufferFull)
        a = ChannelLog()
        link.run(for: .seconds(5)) { link in
            a.take(&link.a, at: link.now)
            while link.b.pollEvent() != nil {}
        }
        #expect(a.low == [local])
        #expect(link.a.bufferedAmount(of: local) == 0)
    }

    @Test("the opening message is no buffered amount")
    func openingIsNotCounted() throws {
        var link = ChannelLink()
        link.start()
        link.run(for: .seconds(1))
        let id = try link.a.open(DataChannelParameters(label: "x"), at: link.now)
        #expect(link.a.bufferedAmount(of: id) == 0)
        var a = ChannelLog()
        link.run(for: .seconds(1)) { a.take(&$0.a, at: $0.now) }
        #expect(a.low.isEmpty)
    }

    @Test("ordered and unordered reliable channels lose nothing", arguments: 0..<4 as Range<UInt64>, [true, false])
    func reliable(seed: UInt64, ordered: Bool) throws {
        var (link, local, remote) = try opened(
            DataChannelParameters(ordered: ordered), conditions: .terrible, seed: seed)
        for number in 0..<80 { try link.a.send(DataChannelMessage("\(number)"), on: local, at: link.now) }
        var b = ChannelLog()
        link.run(for: .seconds(120), react: { b.take(&$0.b, at: $0.now) }, until: { _ in b.messages.count == 80 })
        let numbers = b.messages(on: remote).compactMap { Int(String(decoding: $0.bytes, as: UTF8.self)) }
        if ordered { #expect(numbers == Array(0..<80)) }
        #expect(numbers.sorted() == Array(0..<80))
    }

    @Test("channels of limited retransmissions or lifetime go on after losses", arguments: 0..<4 as Range<UInt64>)
    func unreliable(seed: UInt64) throws {
        for parameters in [
            DataChannelParameters(ordered: false, maxRetransmits: 0),
            DataChannelParameters(ordered: true, maxPacketLifeTime: .milliseconds(50)),
        ] {
            var (link, local, _) = try opened(parameters, conditions: .terrible, seed: seed)
            var b = ChannelLog()
            let react = { (link: inout ChannelLink) in
                b.take(&link.b, at: link.now)
                while link.a.pollEvent() != nil {}
            }
            for number in 0..<100 {
                try link.a.send(DataChannelMessage("\(number)"), on: local, at: link.now)
                link.run(for: .milliseconds(50), react: react)
            }
            link.run(for: .seconds(60), react: react)
            #expect(b.messages.count > 30 && b.messages.count < 100)
            #expect(Set(b.messages.map(\.message.bytes)).count == b.messages.count)
            #expect(link.a.totalBufferedAmount == 0)
        }
    }

    @Test("a message on no channel, or of an unknown kind, is ignored, and its bytes are given back")
    func ignored() throws {
        var (link, local, _) = try opened()
        let stream = try #require(link.a.streamID(of: local))
        try link.a.association.send(SCTPMessage(stream: 40, protocolIdentifier: 51, bytes: [1, 2]), at: link.now)
        try link.a.association.send(SCTPMessage(stream: stream, protocolIdentifier: 99, bytes: [1, 2]), at: link.now)
        try link.a.association.send(SCTPMessage(stream: stream, protocolIdentifier: 51, bytes: [7]), at: link.now)
        var b = ChannelLog()
        link.run(for: .seconds(1)) { b.take(&$0.b, at: $0.now) }
        #expect(b.messages.map(\.message.bytes) == [[7]])
        #expect(link.b.statistics.messagesIgnored == 2)
        #expect(link.b.association.window.buffered == 0)
    }

    @Test("messages in parts, as the deprecated identifiers have them, are put together within bounds")
    func parts() throws {
        var (link, local, _) = try opened()
        let stream = try #require(link.a.streamID(of: local))
        let send = { (link: inout ChannelLink, identifier: UInt32, bytes: [UInt8]) in
            try? link.a.association.send(
                SCTPMessage(stream: stream, protocolIdentifier: identifier, bytes: bytes), at: link.now)
        }
        send(&link, 54, [1])
        send(&link, 54, [2])
        send(&link, 51, [3])
        send(&link, 52, [4])
        send(&link, 53, [5])
        var b = ChannelLog()
        link.run(for: .seconds(5)) { b.take(&$0.b, at: $0.now) }
        #expect(b.messages.map(\.message.bytes) == [[1, 2, 3], [4, 5]])
        #expect(b.messages.map(\.message.isText) == [true, false])
        #expect(link.b.association.window.buffered == 0)
        // A message without its middle would be another message.
        for _ in 0..<6 { send(&link, 52, [UInt8](repeating: 0, count: 50_000)) }
        send(&link, 53, [6])
        link.run(for: .seconds(5)) { b.take(&$0.b, at: $0.now) }
        #expect(b.messages.count == 2)
        guard case .protocolViolation? = b.failure else {
            Issue.record("no failure")
            return
        }
    }

    @Test("a send buffer without room for any message is not taken literally")
    func senselessBuffer() throws {
        var configuration = SCTPConfiguration()
        configuration.sendBufferLimit = -1
        var (link, local, _) = try opened(configuration: configuration)
        #expect(link.a.sendBufferLimit == 65_536)
        try link.a.send(DataChannelMessage("hello"), on: local, at: link.now)
        #expect(link.a.totalBufferedAmount == 5)
    }

    /// The code of the error that `body` throws.
    private func code(_ body: () throws -> Void) -> DataChannelError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DataChannelError)?.code
        }
    }
}
