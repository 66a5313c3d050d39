import RTCWire
import Testing

@testable import RTCTransport

@Suite("Data channels open (RFC 8832)")
struct DataChannelOpeningTests {
    @Test("a channel that was opened before the start is there after two round trips")
    func beforeStart() throws {
        var link = ChannelLink()
        let parameters = DataChannelParameters(
            label: "chat", protocol: "p1", ordered: false, maxRetransmits: 3, priority: .high)
        let id = try link.a.open(parameters, at: link.now)
        #expect(link.a.state(of: id) == .connecting)
        #expect(link.a.streamID(of: id) == nil)
        #expect(throws: DataChannelError.self) { try link.a.send(DataChannelMessage("x"), on: id, at: link.now) }
        link.start()
        #expect(link.a.streamID(of: id) == 0)
        var a = ChannelLog()
        var b = ChannelLog()
        link.run(for: .seconds(2)) { link in
            a.take(&link.a, at: link.now)
            b.take(&link.b, at: link.now)
        } until: { _ in
            b.incoming.count == 1 && a.opened.count == 1
        }
        // INIT, INIT ACK, COOKIE ECHO with the opening message: three times 10 ms.
        #expect(link.now.nanoseconds <= TimeDelta.milliseconds(40).nanoseconds)
        #expect(a.isAssociated && b.isAssociated)
        #expect(a.opened == [id])
        let remote = try #require(b.incoming.first)
        #expect(link.b.parameters(of: remote) == parameters)
        #expect(link.b.streamID(of: remote) == 0)
        #expect(link.a.state(of: id) == .open && link.b.state(of: remote) == .open)
    }

    @Test("identifiers are even for the client and odd for the server, and the lowest that are free")
    func identifiers() throws {
        var link = ChannelLink()
        let early = try link.b.open(DataChannelParameters(), at: link.now)
        _ = try link.a.open(DataChannelParameters(negotiatedID: 2), at: link.now)
        link.start()
        link.run(for: .seconds(1))
        #expect(link.b.streamID(of: early) == 1)
        var identifiers: [UInt16?] = []
        for _ in 0..<3 {
            let id = try link.a.open(DataChannelParameters(), at: link.now)
            identifiers.append(link.a.streamID(of: id))
        }
        #expect(identifiers == [0, 4, 6])
        link.run(for: .seconds(1))
        var b = ChannelLog()
        b.take(&link.b, at: link.now)
        #expect(b.incoming.map { link.b.streamID(of: $0) } == [0, 4, 6])
    }

    @Test("a negotiated channel opens without a message, with the same number on both ends")
    func negotiated() throws {
        var link = ChannelLink()
        let parameters = DataChannelParameters(label: "n", negotiatedID: 77)
        let idA = try link.a.open(parameters, at: link.now)
        link.start()
        link.run(for: .seconds(1))
        let idB = try link.b.open(parameters, at: link.now)
        var a = ChannelLog()
        var b = ChannelLog()
        a.take(&link.a, at: link.now)
        b.take(&link.b, at: link.now)
        #expect(a.opened == [idA] && b.opened == [idB])
        #expect(b.incoming.isEmpty)
        #expect(link.b.parameters(of: idB) == parameters)
        try link.a.send(DataChannelMessage("hello"), on: idA, at: link.now)
        link.run(for: .seconds(1)) { b.take(&$0.b, at: $0.now) }
        #expect(b.messages(on: idB) == [DataChannelMessage("hello")])
    }

    @Test("hundreds of channels at once, both ways", arguments: 0..<3 as Range<UInt64>)
    func many(seed: UInt64) throws {
        var link = ChannelLink(
            conditions: LinkConditions(delay: .milliseconds(20), jitter: .milliseconds(10), loss: 0.1), seed: seed)
        for number in 0..<300 {
            _ = try link.a.open(DataChannelParameters(label: "a\(number)"), at: link.now)
            _ = try link.b.open(DataChannelParameters(label: "b\(number)"), at: link.now)
        }
        link.start()
        var a = ChannelLog()
        var b = ChannelLog()
        link.run(for: .seconds(20)) { link in
            a.take(&link.a, at: link.now)
            b.take(&link.b, at: link.now)
        }
        #expect(a.opened.count == 300 && b.opened.count == 300)
        #expect(Set(b.incoming.compactMap { link.b.parameters(of: $0)?.label }) == Set((0..<300).map { "a\($0)" }))
        #expect(Set(a.incoming.compactMap { link.a.parameters(of: $0)?.label }) == Set((0..<300).map { "b\($0)" }))
    }

    @Test("messages of an unordered channel do not overtake its opening", arguments: 0..<10 as Range<UInt64>)
    func dataBeforeAck(seed: UInt64) throws {
        var link = ChannelLink(conditions: .terrible, seed: seed)
        link.start()
        var a = ChannelLog()
        var b = ChannelLog()
        link.run(for: .seconds(30), react: { a.take(&$0.a, at: $0.now) }, until: { _ in a.isAssociated })
        let id = try link.a.open(DataChannelParameters(label: "u", ordered: false), at: link.now)
        for number in 0..<30 { try link.a.send(DataChannelMessage("\(number)"), on: id, at: link.now) }
        link.run(for: .seconds(60), react: { b.take(&$0.b, at: $0.now) }, until: { _ in b.messages.count == 30 })
        #expect(b.incoming.count == 1)
        #expect(
            Set(b.messages.map { String(decoding: $0.message.bytes, as: UTF8.self) }) == Set((0..<30).map { "\($0)" }))
    }

    @Test("more streams are asked for when the peer granted few")
    func addStreams() throws {
        var few = SCTPConfiguration()
        few.outgoingStreams = 2
        few.incomingStreams = 2
        var link = ChannelLink(configuration: few, other: SCTPConfiguration())
        var ids: [DataChannelTransport.ChannelID] = []
        for number in 0..<5 { ids.append(try link.a.open(DataChannelParameters(label: "\(number)"), at: link.now)) }
        link.start()
        var a = ChannelLog()
        var b = ChannelLog()
        let react = { (link: inout ChannelLink) in
            a.take(&link.a, at: link.now)
            b.take(&link.b, at: link.now)
        }
        link.run(for: .seconds(2), react: react)
        #expect(a.opened == ids)
        #expect(b.incoming.isEmpty == false)
    }

    @Test("a peer that grants no more streams has the channel closed")
    func noMoreStreams() throws {
        var few = SCTPConfiguration()
        few.incomingStreams = 2
        var link = ChannelLink(configuration: SCTPConfiguration(), other: few)
        let first = try link.a.open(DataChannelParameters(label: "1"), at: link.now)
        let second = try link.a.open(DataChannelParameters(label: "2"), at: link.now)
        link.start()
        var a = ChannelLog()
        link.run(for: .seconds(2)) { a.take(&$0.a, at: $0.now) }
        #expect(a.opened == [first])
        #expect(a.closed == [second])
    }

    @Test("bad parameters are refused with advice")
    func badParameters() throws {
        var link = ChannelLink()
        func code(_ parameters: DataChannelParameters) -> DataChannelError.Code? {
            do throws(DataChannelError) {
                _ = try link.a.open(parameters, at: link.now)
                return nil
            } catch {
                #expect(error.message.hasSuffix("."))
                return error.code
            }
        }
        #expect(code(DataChannelParameters(maxRetransmits: 1, maxPacketLifeTime: .seconds(1))) == .invalidParameters)
        #expect(code(DataChannelParameters(label: String(repeating: "x", count: 65_536))) == .invalidParameters)
        #expect(code(DataChannelParameters(negotiatedID: 65_535)) == .invalidParameters)
        #expect(code(DataChannelParameters(maxPacketLifeTime: .milliseconds(-1))) == .invalidParameters)
        #expect(code(DataChannelParameters(negotiatedID: 5)) == nil)
        #expect(code(DataChannelParameters(negotiatedID: 5)) == .identifierInUse)
    }

    @Test(
        "the opening message survives a round trip",
        arguments: [
            DataChannelParameters(label: "ä€😀", protocol: "json"),
            DataChannelParameters(ordered: false),
            DataChannelParameters(label: "r", maxRetransmits: 0),
            DataChannelParameters(ordered: false, maxRetransmits: 65_535, priority: .veryLow),
            DataChannelParameters(maxPacketLifeTime: .milliseconds(1_500), priority: .high),
            DataChannelParameters(label: String(repeating: "y", count: 65_535)),
        ])
    func openMessage(parameters: DataChannelParameters) {
        let bytes = DataChannelOpenMessage(parameters).bytes
        #expect(bytes.withUnsafeBytes { DataChannelOpenMessage(parsing: $0.bytes)?.parameters } == parameters)
        #expect(
            bytes.dropLast().withUnsafeBytes { DataChannelOpenMessage(parsing: $0.bytes) } == nil || bytes.count == 12)
    }

    @Test("the opening message is what RFC 8832 draws")
    func openMessageBytes() {
        let parameters = DataChannelParameters(
            label: "ab", protocol: "c", ordered: false, maxPacketLifeTime: .milliseconds(258), priority: .low)
        #expect(
            DataChannelOpenMessage(parameters).bytes
                == [3, 0x82, 1, 0, 0, 0, 1, 2, 0, 2, 0, 1, 0x61, 0x62, 0x63])
    }
}
